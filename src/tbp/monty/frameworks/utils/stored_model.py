# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Reads the models of graphs that `torch.save` wrote, without importing torch.

Pretraining writes a graph as tensors, and evidence matching makes arrays of them.
Importing torch and torch_geometric only for that takes about two seconds.

What is read here is what pretraining writes, and nothing else. Every other file is left
to torch, which reads it or says why not.
"""

from __future__ import annotations

import sys
import zipfile
from collections import OrderedDict, defaultdict
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pickletools import genops
from typing import Any, Callable, Iterable, Iterator, cast

import numpy as np

from tbp.monty.frameworks.models.object_model import GraphObjectModel
from tbp.monty.frameworks.models.stored_graph_model import (
    StoredGraph,
    StoredGraphModel,
)
from tbp.monty.frameworks.utils.read_model import read_model
from tbp.monty.frameworks.utils.unpickle_model import (
    CLASSES,
    check_content,
    check_is_uncompressed,
    contents,
    without_resolvers,
)

__all__ = ["read_stored_model"]


def read_stored_model(path: Path | str) -> Any:
    """Return what `read_model` returns, without importing torch where possible.

    Args:
        path: As for `read_model`.
    """
    # A file that holds anything else can make it raise nearly anything.
    with suppress(Exception), without_resolvers():
        return _read(Path(path))
    return read_model(path)


class _Declined(Exception):
    """A file holds something else than pretraining writes."""


def _expect(is_so: bool) -> None:
    if not is_so:
        raise _Declined


def _read(path: Path) -> Any:
    size = path.stat().st_size
    check_is_uncompressed(path, size)
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        _expect(len({*names}) == len(names))
        kinds = {part.compress_type for part in archive.infolist()}
        _expect(kinds == {zipfile.ZIP_STORED})
        folder = names[0][: names[0].index("/") + 1]
        pickled = f"{folder}data.pkl"
        _expect(f"{folder}constants.pkl" not in names)  # TorchScript has it
        _expect(archive.read(f"{folder}byteorder") == b"little")
        _expect(sys.byteorder == "little")
        reader = _Reader(lambda key: archive.read(f"{folder}data/{key}"))
        model = reader.load(archive.read(pickled))
    check_content(_without_stand_ins(contents(model)), size)
    return model


class _StandIn:
    """An object that a model must not hold in the end."""


class _Name(_StandIn):
    """A class or function that a file names, and that is never called."""


class _Bag(_StandIn):
    """The attributes of an object of torch_geometric."""

    def __init__(self, kind: _Name) -> None:
        self.kind = kind
        self.state: dict[str, Any] = {}


class _Storage(_StandIn):
    """The memory of a tensor."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array


class _Tensor(_StandIn):
    """An array that is a tensor."""

    def __init__(self, array: np.ndarray) -> None:
        self._arrays = [array]

    def take(self) -> np.ndarray:
        # A second time it raises an exception: shared tensors are left to torch.
        return self._arrays.pop()


def _without_stand_ins(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        _expect(not isinstance(value, _StandIn))
        yield value


_MODEL, _DATA, _GLOBAL_STORAGE, _EDGE_ATTR, _TENSOR_ATTR = (_Name() for _ in range(5))
_RECONSTRUCT, _SCALAR, _ENCODE, _REBUILD_TENSOR = (_Name() for _ in range(4))
_FLOAT, _DOUBLE, _INT, _LONG = (_Name() for _ in range(4))
_STORAGES = {_FLOAT: "f4", _DOUBLE: "f8", _INT: "i4", _LONG: "i8"}
_BUILTINS = (bool, dict, float, int, list, set, str, tuple)
_PLAIN = {
    f"{module} {name}"
    for module, names in CLASSES.items()
    if module == "tbp.monty.geometry" or module.startswith("omegaconf.")
    for name in names
}
"""Classes whose objects are made without arguments, and then get their attributes."""

_NAMED: dict[str, Any] = {
    **{f"__builtin__ {one.__name__}": one for one in _BUILTINS},
    "__builtin__ long": int,
    "_codecs encode": _ENCODE,
    "collections OrderedDict": OrderedDict,
    "collections defaultdict": defaultdict,
    f"{GraphObjectModel.__module__} {GraphObjectModel.__name__}": _MODEL,
    "numpy dtype": np.dtype,
    "numpy ndarray": np.ndarray,
    "numpy._core.multiarray _reconstruct": _RECONSTRUCT,
    "numpy._core.multiarray scalar": _SCALAR,
    "numpy.core.multiarray _reconstruct": _RECONSTRUCT,
    "numpy.core.multiarray scalar": _SCALAR,
    "torch DoubleStorage": _DOUBLE,
    "torch FloatStorage": _FLOAT,
    "torch IntStorage": _INT,
    "torch LongStorage": _LONG,
    "torch._utils _rebuild_tensor_v2": _REBUILD_TENSOR,
    "torch_geometric.data.data Data": _DATA,
    "torch_geometric.data.data DataEdgeAttr": _EDGE_ATTR,
    "torch_geometric.data.data DataTensorAttr": _TENSOR_ATTR,
    "torch_geometric.data.storage GlobalStorage": _GLOBAL_STORAGE,
    "typing Any": Any,
}
"""What a file may name besides."""


class _Reader:
    """Reads one pickle of protocol 2, as torch writes it."""

    def __init__(self, read_storage: Callable[[str], bytes]) -> None:
        self._read_storage = read_storage
        self._keys: set[str] = set()
        self._stack: list[Any] = []
        self._below: list[list[Any]] = []
        self._memo: dict[int, Any] = {}
        self._models: list[StoredGraphModel] = []
        self._plain: set[type] = {StoredGraphModel}

    def load(self, pickled: bytes) -> Any:
        """Return what a pickle describes, if it is as pretraining writes it."""
        push, pop, pop_to_mark = self._push, self._pop, self._pop_to_mark
        actions: dict[str, Callable[[Any], None]] = {
            "APPEND": lambda _: self._append(pop(1)),
            "APPENDS": lambda _: self._append(pop_to_mark()),
            "BINFLOAT": push,
            "BINGET": lambda at: push(self._memo[at]),
            "BININT": push,
            "BININT1": push,
            "BININT2": push,
            "BINPERSID": lambda _: push(self._storage(*pop(1))),
            "BINPUT": self._remember,
            "BINUNICODE": push,
            "BUILD": lambda _: self._build(*pop(1)),
            "EMPTY_DICT": lambda _: push({}),
            "EMPTY_LIST": lambda _: push([]),
            "EMPTY_TUPLE": lambda _: push(()),
            "GLOBAL": lambda name: push(self._named(name)),
            "LONG1": push,
            "LONG_BINGET": lambda at: push(self._memo[at]),
            "LONG_BINPUT": self._remember,
            "MARK": self._mark,
            "NEWFALSE": lambda _: push(False),
            "NEWOBJ": lambda _: push(self._object(*pop(2))),
            "NEWTRUE": lambda _: push(True),
            "NONE": push,  # its argument is None
            "PROTO": lambda version: _expect(version == 2),
            "REDUCE": lambda _: push(_called(*pop(2))),
            "SETITEM": lambda _: self._set_items(pop(2)),
            "SETITEMS": lambda _: self._set_items(pop_to_mark()),
            "STOP": lambda _: None,
            "TUPLE": lambda _: push(tuple(pop_to_mark())),
            "TUPLE1": lambda _: push(tuple(pop(1))),
            "TUPLE2": lambda _: push(tuple(pop(2))),
            "TUPLE3": lambda _: push(tuple(pop(3))),
        }
        for operation, argument, _ in genops(pickled):
            actions[operation.name](argument)
        (model,) = self._stack
        _expect(not self._below)
        # Until here, a file may still change what it has built.
        for one in self._models:
            vars(one)["_graph"] = _stored_graph(vars(one)["_graph"])
        return model

    def _push(self, value: Any) -> None:
        self._stack.append(value)

    def _pop(self, count: int) -> list[Any]:
        _expect(len(self._stack) >= count)
        items = self._stack[-count:]
        del self._stack[-count:]
        return items

    def _mark(self, _: Any) -> None:
        self._below.append(self._stack)
        self._stack = []

    def _pop_to_mark(self) -> list[Any]:
        items, self._stack = self._stack, self._below.pop()
        return items

    def _remember(self, at: int) -> None:
        self._memo[at] = self._stack[-1]

    def _append(self, items: list[Any]) -> None:
        _expect(type(self._stack[-1]) is list)
        self._stack[-1].extend(items)

    def _set_items(self, items: list[Any]) -> None:
        _expect(type(self._stack[-1]) is dict)
        _expect_names(items[::2])
        self._stack[-1].update(zip(items[::2], items[1::2], strict=True))

    def _named(self, name: str) -> Any:
        if name not in _PLAIN:
            return _NAMED[name]
        module, own_name = name.split()
        kind = getattr(import_module(module), own_name)
        self._plain.add(kind)
        return kind

    def _object(self, kind: Any, arguments: Any) -> Any:
        _expect(_are(arguments))
        if kind is _DATA or kind is _GLOBAL_STORAGE:
            return _Bag(kind)
        if kind is _MODEL:
            self._models.append(StoredGraphModel.__new__(StoredGraphModel))
            return self._models[-1]
        _expect(isinstance(kind, type) and kind in self._plain)
        return kind.__new__(kind)

    def _build(self, state: Any) -> None:
        built = self._stack[-1]
        if isinstance(built, np.dtype):
            _expect(_are(state, int, str, *(3 * [type(None)]), int, int, int))
            _expect(state in _STATES_OF_DTYPES)
            cast("Any", built).__setstate__(state)
        elif type(built) is np.ndarray:
            _expect(type(state) is tuple)
            _, shape, dtype, _, content = state
            _expect_sizes(shape)
            _expect(isinstance(dtype, np.dtype) and type(content) is bytes)
            built.__setstate__(state)
        else:
            _expect(type(state) is dict)
            _expect_names(state)
            self._set_attributes(built, state)

    def _set_attributes(self, built: Any, state: dict[str, Any]) -> None:
        if isinstance(built, _Bag):
            built.state = state
            return
        _expect(type(built) in self._plain)
        if hasattr(type(built), "__setstate__"):
            built.__setstate__(state)
        else:
            vars(built).update(state)

    def _storage(self, identity: Any) -> _Storage:
        _expect(_are(identity, str, _Name, str, str, int))
        word, kind, key, device, count = identity
        _expect(word == "storage" and device == "cpu")
        # Tensors that share memory are left to torch.
        _expect(key not in self._keys)
        self._keys.add(key)
        array = np.frombuffer(self._read_storage(key), _STORAGES[kind])
        _expect(len(array) == count)
        return _Storage(array)


def _called(function: Any, arguments: Any) -> Any:
    _expect(isinstance(function, (type, _Name)) and type(arguments) is tuple)
    return _CALLS[function](*arguments)


def _are(values: Any, *kinds: type) -> bool:
    """Return whether values are a tuple of objects of these classes.

    What is compared is looked at like this first: a file may hold objects of classes
    that run code when they are compared.
    """
    return type(values) is tuple and tuple(map(type, values)) == kinds


def _expect_names(values: Iterable[Any]) -> None:
    _expect(all(type(value) in (int, str) for value in values))


def _expect_sizes(values: Any) -> None:
    _expect(type(values) is tuple)
    _expect(all(type(value) is int and value >= 0 for value in values))


def _empty_array(*arguments: Any) -> np.ndarray:
    kind, shape, dtype = arguments
    _expect(kind is np.ndarray and _are(shape, int) and type(dtype) is bytes)
    _expect(shape == (0,) and dtype == b"b")
    return np.ndarray((0,), "b")


def _dtype(*arguments: Any) -> np.dtype:
    _expect(_are(arguments, str, bool, bool))
    # Without a copy, BUILD would change all dtypes of this kind.
    _expect(arguments[1:] == (False, True))
    dtype = np.dtype(*arguments)
    _expect(dtype.kind in "biuf" and dtype.isnative)
    return dtype


def _number(dtype: Any, content: Any) -> Any:
    _expect(isinstance(dtype, np.dtype) and type(content) is bytes)
    (number,) = np.frombuffer(content, dtype)
    return number


def _encoded(*arguments: Any) -> bytes:
    _expect(_are(arguments, str, str) and arguments[1] == "latin1")
    return arguments[0].encode("latin1")


def _empty_ordered_dict() -> OrderedDict[Any, Any]:
    return OrderedDict()


def _set_of(values: Any) -> set[Any]:
    _expect(type(values) is list)
    _expect_names(values)
    return set(values)


def _defaultdict(kind: Any) -> defaultdict[Any, Any]:
    _expect(isinstance(kind, type) and kind in _BUILTINS)
    return defaultdict(kind)


def _tensor(*arguments: Any) -> _Tensor:
    _expect(_are(arguments, _Storage, int, tuple, tuple, bool, OrderedDict))
    storage, offset, shape, strides, has_gradient, hooks = arguments
    _expect(offset == 0 and not has_gradient and not hooks)
    _expect_sizes(shape)
    _expect_sizes(strides)
    # Of all elements of the storage; tensors that are views are left to torch.
    array = storage.array.reshape(shape)
    _expect(strides == tuple(stride // array.itemsize for stride in array.strides))
    return _Tensor(array)


_CALLS: dict[Any, Callable[..., Any]] = {
    OrderedDict: _empty_ordered_dict,
    defaultdict: _defaultdict,
    np.dtype: _dtype,
    set: _set_of,
    _ENCODE: _encoded,
    _REBUILD_TENSOR: _tensor,
    _RECONSTRUCT: _empty_array,
    _SCALAR: _number,
}
"""What a file may call, and what is called in its place."""

_STATES_OF_DTYPES = [(3, order, None, None, None, -1, -1, 0) for order in "<|"]
"""Of numbers. Others could change the size of a dtype."""


def _stored_graph(graph: Any) -> StoredGraph:
    edges, tensors, store = _attributes(
        graph, _DATA, "_edge_attr_cls", "_tensor_attr_cls", "_store"
    )
    _expect(edges is _EDGE_ATTR and tensors is _TENSOR_ATTR)
    values, parent = _attributes(store, _GLOBAL_STORAGE, "_mapping", "_parent")
    _expect(type(values) is dict and parent is graph)
    _expect_names(values)
    arrays = {name for name, value in values.items() if isinstance(value, _Tensor)}
    _expect(len(arrays) > 0)
    return StoredGraph(
        {
            name: value.take() if name in arrays else value
            for name, value in values.items()
        },
        frozenset(arrays),
    )


def _attributes(bag: Any, kind: _Name, *names: str) -> list[Any]:
    _expect(isinstance(bag, _Bag) and bag.kind is kind and {*bag.state} == {*names})
    return [bag.state[name] for name in names]
