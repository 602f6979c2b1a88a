# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Unpickles models without running code that a file names."""

from __future__ import annotations

import gc
import importlib
import os
import sys
import zipfile
from contextlib import contextmanager
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Iterable, Iterator

import numpy as np
from omegaconf.basecontainer import BaseContainer
from scipy.spatial import KDTree

__all__ = [
    "CLASSES",
    "TRUST_VARIABLE",
    "RefusedModel",
    "check_content",
    "check_is_uncompressed",
    "contents",
    "unpickle_model",
    "without_resolvers",
]

TRUST_VARIABLE = "MONTY_TRUST"
"""Names files, or folders of files, that may name any class: `path[:path]`."""

CLASSES = {
    "builtins": ("bool", "bytes", "dict", "float", "int", "list", "str", "tuple"),
    "collections": ("defaultdict",),
    # numpy 1 wrote `numpy.core`.
    "numpy": ("dtype", "ndarray"),
    "numpy._core.multiarray": ("_reconstruct", "scalar"),
    "numpy.core.multiarray": ("_reconstruct", "scalar"),
    "omegaconf.base": ("ContainerMetadata", "Metadata"),
    "omegaconf.dictconfig": ("DictConfig",),
    "omegaconf.listconfig": ("ListConfig",),
    "omegaconf.nodes": (
        *("AnyNode", "BooleanNode", "FloatNode", "IntegerNode", "StringNode"),
    ),
    "quaternion": ("quaternion",),
    "scipy.spatial._kdtree": ("KDTree",),
    "scipy.spatial.transform._rotation": ("Rotation",),
    "tbp.monty.cmp": ("Goal", "Message"),
    "tbp.monty.frameworks.actions.actions": (
        *("LookDown", "LookUp", "MoveForward", "MoveTangentially", "OrientHorizontal"),
        *("OrientVertical", "SetAgentPitch", "SetAgentPose", "SetSensorPitch"),
        *("SetSensorPose", "SetSensorRotation", "SetYaw", "TurnLeft", "TurnRight"),
    ),
    "tbp.monty.frameworks.models.evidence_matching.hypotheses": ("Hypotheses",),
    "tbp.monty.frameworks.models.motor_system_state": ("AgentState", "SensorState"),
    "tbp.monty.frameworks.models.object_model": (
        *("GraphObjectModel", "GridObjectModel"),
    ),
    "tbp.monty.frameworks.utils.object_model_utils": ("NumpyGraph",),
    "tbp.monty.geometry": (
        *("GazeDirection", "OrientationMatrix", "Rotation", "SurfacePoseVectors"),
    ),
    "torch_geometric.data.data": ("Data", "DataEdgeAttr", "DataTensorAttr"),
    "torch_geometric.data.storage": ("GlobalStorage",),
    "typing": ("Any",),
}
"""What models may hold besides tensors, by module."""

DTYPES = (
    *("Bool", "Bytes", "Float16", "Float32", "Float64", "Int8", "Int16", "Int32"),
    *("Int64", "Str", "UInt8", "UInt16", "UInt32", "UInt64"),
)
"""Of arrays. Those of objects and records are not among them."""

ALWAYS_ALLOWED = 1 << 30
EXPANSION = 100
"""Arrays may take 1 GiB in memory, or 100 times the file's size if that is more."""


class RefusedModel(Exception):
    """A file is no model, or a model that needs to be trusted."""


def unpickle_model(path: Path | str) -> Any:
    """Load a model that `torch.save` wrote.

    Args:
        path: The file.

    Returns:
        The state dict of a Monty.

    Raises:
        RefusedModel: If it names what models do not hold, and is not trusted.
    """
    import torch  # noqa: PLC0415 it takes more than a second

    path = Path(path)
    if _is_trusted(path):
        return torch.load(path, weights_only=False)
    size = path.stat().st_size
    try:
        check_is_uncompressed(path, size)
        with torch.serialization.safe_globals(_needed(path)), without_resolvers():
            model = torch.load(path, weights_only=True)
            check_content(contents(model), size)
    except RefusedModel as reason:
        raise RefusedModel(
            f"{path} {_in_one_line(reason)}. If you trust it, set "
            f"{TRUST_VARIABLE}={path}, or say --trust {path} to the command monty"
        ) from None
    except Exception as error:
        # Reading a damaged file can raise nearly anything. Around what its unpickler
        # raises, torch puts advice to load the file without checks.
        fault = _in_one_line(error.__context__ or error)
        raise RefusedModel(f"{path} cannot be read as a model: {fault}") from error
    return model


def _in_one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return "".join(one if one.isprintable() else "?" for one in text)


def _is_trusted(path: Path) -> bool:
    named = os.environ.get(TRUST_VARIABLE, "").split(os.pathsep)
    trusted = {Path(one).resolve() for one in named if one}
    path = path.resolve()
    return not trusted.isdisjoint((path, *path.parents))


def check_is_uncompressed(path: Path, size: int) -> None:
    """Raise an exception unless the parts of a file have the size they take in it."""
    with zipfile.ZipFile(path) as archive:
        if sum(part.file_size for part in archive.infolist()) > size:
            raise ValueError("it is compressed, as torch never does")


def _needed(path: Path) -> list[tuple[Any, str]]:
    """Return what a file names, for torch to allow it.

    Raises:
        RefusedModel: If it names something that models do not hold.
    """
    import torch  # noqa: PLC0415

    names = torch.serialization.get_unsafe_globals_in_checkpoint(path)
    known = {f"{module}.{one}": module for module in CLASSES for one in CLASSES[module]}
    others = sorted(set(names) - set(known))
    if others:
        raise RefusedModel(f"names {', '.join(others)}, which may run any code")
    # The file names `dtype`, but its objects are of these classes.
    dtypes = [getattr(np.dtypes, f"{one}DType") for one in DTYPES]
    return [
        *((one, f"numpy.dtypes.{one.__name__}") for one in dtypes),
        *((_imported(known[name], name), name) for name in names),
    ]


class _RebuiltTree(KDTree):
    """A tree that is built again: scipy would believe the nodes that a file holds.

    A copy or a pickle of it is a plain tree.
    """

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, data, _, _, leafsize, *_ = state
        KDTree.__init__(self, data, leafsize=leafsize)

    def __reduce__(self) -> Any:
        return KDTree, (np.array(self.data), self.leafsize)


def _imported(module: str, name: str) -> Any:
    if name == "scipy.spatial._kdtree.KDTree":
        return _RebuiltTree
    return getattr(importlib.import_module(module), name[len(module) + 1 :])


@contextmanager
def without_resolvers() -> Iterator[None]:
    """Let no interpolation call a function, as one of Monty's resolvers is `eval`.

    Configs resolve what they hold when they are compared, such as keys of a dictionary
    that is unpickled.
    """
    resolvers = dict(BaseContainer._resolvers)
    BaseContainer._resolvers.clear()
    try:
        yield
    finally:
        BaseContainer._resolvers.update(resolvers)


def contents(model: Any) -> Iterator[Any]:
    """Yield all values that a model holds, each once."""
    seen = set()
    rest = [model]
    while rest:
        value = rest.pop()
        if id(value) in seen or isinstance(
            value, (type, ModuleType, FunctionType, BuiltinFunctionType)
        ):
            continue
        seen.add(id(value))
        yield value
        # Unlike `vars`, it knows what objects of any class refer to.
        rest.extend(gc.get_referents(value))


def check_content(values: Iterable[Any], size: int) -> None:
    """Raise an exception if values hold interpolations, or more than their file.

    Args:
        values: The values.
        size: The size of the file.

    Raises:
        RefusedModel: If there are interpolations.
        ValueError: If arrays are larger than the file.
    """
    limit = max(ALWAYS_ALLOWED, EXPANSION * size)
    for value in values:
        if isinstance(value, str) and "${" in value:
            raise RefusedModel(f"holds the interpolation {str(value)!r}")
        limit -= sum(_sizes(value))
        if limit < 0:
            raise ValueError("it holds arrays that are larger than the file")


def _sizes(value: Any) -> Iterator[int]:
    if isinstance(value, (bytes, bytearray)):
        yield len(value)
    elif isinstance(value, np.ndarray):
        yield value.nbytes
    elif "torch" in sys.modules:
        yield from _sizes_of_tensor(value)


def _sizes_of_tensor(value: Any) -> Iterator[int]:
    import torch  # noqa: PLC0415 whoever has made a tensor has imported it

    if isinstance(value, torch.Tensor) and value.is_sparse:
        yield from (value._indices().nbytes, value._values().nbytes)
    elif isinstance(value, torch.Tensor):
        yield value.nbytes
