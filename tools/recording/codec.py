# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Converts values to standard JSON plus arrays, and back, without losing a bit.

JSON alone has no tuples, no dictionaries with keys other than strings, no NaN and no
arrays. These are written as an object with one key that starts with ``$``. Large arrays
stay outside the JSON, in an `Arrays` store, and are named by their content, so equal
encoded text means equal values.
"""

from __future__ import annotations

import base64
import copy
import dataclasses
import hashlib
import io
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import quaternion
from omegaconf import DictConfig, ListConfig, OmegaConf
from scipy.spatial.transform import Rotation

from ..ending import CouldNotRun, one_line
from .kinds import KINDS, imported

__all__ = [
    "Arrays",
    "Malformed",
    "NotEncodable",
    "checked",
    "decode",
    "encode",
    "plain",
]

INLINE_ELEMENTS = 16
"""Arrays up to this size are in the JSON itself, where a person can read them."""

INLINE_KINDS = "biuf"

COMPARED_ENCODED = ("$float", "$scalar")
"""Tags of numbers that are compared and shown without being decoded."""

_READ_HEADER = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}

RECORDS = {
    "SensorState": "tbp.monty.frameworks.models.motor_system_state",
    "AgentState": "tbp.monty.frameworks.models.motor_system_state",
    "ObjectInfo": "tbp.monty.frameworks.environments.environment",
}
"""Monty's dataclasses that environment and experiment exchange, with their modules."""

MAPPINGS = {
    "Observations": "tbp.monty.frameworks.models.abstract_monty_classes",
    "AgentObservations": "tbp.monty.frameworks.models.abstract_monty_classes",
    "ProprioceptiveState": "tbp.monty.frameworks.models.motor_system_state",
}
"""Monty's own dictionary classes, with their modules."""

ACTIONS = "tbp.monty.frameworks.actions.actions"
GEOMETRY = "tbp.monty.geometry"


MOST_LEVELS = 100
"""Values in values. Those of a run have a dozen; Python ends at about a thousand."""


class NotEncodable(TypeError):
    """A value of a type that the recording format does not know."""

    def __init__(self, value: object, where: str) -> None:
        kind = type(value)
        super().__init__(
            f"cannot record a {kind.__module__}.{kind.__qualname__} "
            f"at {where or 'the top level'}: add it to the codec"
        )


class Malformed(CouldNotRun):
    """A file holds data that stand for no value."""


class Arrays:
    """Arrays as ``.npy`` bytes, each stored once, named by its content."""

    def __init__(self) -> None:
        self.members: dict[str, bytes] = {}

    def put(self, array: np.ndarray) -> str:
        """Stores an array, whose dtype must not be object, and returns its name."""
        data = io.BytesIO()
        np.lib.format.write_array(data, array, allow_pickle=False)
        content = data.getvalue()
        name = f"arrays/{hashlib.sha256(content).hexdigest()[:32]}.npy"
        self.members[name] = content
        return name

    def get(self, name: str) -> np.ndarray:
        """Returns a fresh, writable copy of the array of that name."""
        return load_array(self.members[name])


def load_array(content: bytes) -> np.ndarray:
    """Returns a fresh, writable array from the bytes of a ``.npy`` file.

    Raises:
        ValueError: If it is none.
    """
    file = io.BytesIO(content)
    read_header = _READ_HEADER.get(np.lib.format.read_magic(file))
    if read_header is None:
        raise ValueError("unknown version of .npy")
    try:
        shape, _, dtype = read_header(file)
    except Exception as error:
        # It is parsed as Python is.
        raise ValueError(f"no header of .npy: {one_line(error)}") from error
    # Otherwise numpy would make room for whatever size the header names.
    if math.prod(shape) * dtype.itemsize != len(content) - file.tell():
        raise ValueError(f"no array of {dtype} with the shape {shape}")
    file.seek(0)
    return np.lib.format.read_array(file, allow_pickle=False)


def encode(value: Any, arrays: Arrays, where: str = "") -> Any:
    """Turns a value into what `json` can write.

    Args:
        value: The value.
        arrays: Where large arrays are put.
        where: The name of the value in error messages.

    Returns:
        The JSON form of the value.

    Raises:
        NotEncodable: If the value, or one inside it, is of an unknown type.
    """
    encoder = _ENCODERS.get(type(value))
    if encoder is None:
        encoder = _encode_scalar if isinstance(value, np.generic) else _encode_monty
    return encoder(value, arrays, where)


def decode(
    data: Any, read_array: Callable[[str], np.ndarray], levels: int = MOST_LEVELS
) -> Any:
    """Turns the JSON form of a value back into the value.

    Args:
        data: What `encode` returned.
        read_array: Returns a fresh array, given its name.
        levels: How many values may be nested.

    Returns:
        The value; nothing in it is shared with another decoded value.

    Raises:
        Malformed: If the data stand for no value.
    """
    if not isinstance(data, (dict, list)):
        return data
    if not levels:
        raise Malformed(f"more than {MOST_LEVELS} nested values")
    inner = levels - 1
    if isinstance(data, list):
        return [decode(item, read_array, inner) for item in data]
    tag = next(iter(data), "")
    if not tag.startswith("$"):
        return {key: decode(item, read_array, inner) for key, item in data.items()}
    if tag == "$array":
        return read_array(data[tag])
    parts = decode(data[tag], read_array, inner)
    try:
        return _WHOLES[tag](parts)
    except CouldNotRun:
        raise
    except Exception as error:
        # Data from a file can make numpy, torch and Monty raise anything.
        raise Malformed(f"{tag} stands for no value: {one_line(error)}") from error


def checked(data: dict[str, Any]) -> dict[str, Any]:
    """Checks an object of JSON, as far as it is read without being decoded.

    Raises:
        Malformed: If it is not of the form that `encode` gives it.
    """
    tags = [key for key in data if key.startswith("$")]
    if tags and len(data) > 1:
        raise Malformed(f"{tags[0]!r} stands beside other keys")
    if tags and tags[0] in COMPARED_ENCODED:
        decode(data, Arrays().get)
    return data


def plain(data: Any, read_array: Callable[[str], np.ndarray]) -> Any:
    """Turns the JSON form of a value into a readable one, without tags and types.

    Args:
        data: What `encode` returned.
        read_array: Returns an array, given its name.

    Returns:
        Lists, dictionaries, numbers and words.
    """
    if isinstance(data, list):
        return [plain(item, read_array) for item in data]
    if not isinstance(data, dict):
        return data
    tag = next(iter(data), "")
    if tag in ("$array", "$ndarray"):
        return decode(data, read_array).tolist()
    if tag.startswith("$"):
        inner = data[tag]
        return plain(inner["value"] if tag == "$scalar" else inner, read_array)
    return {key: plain(item, read_array) for key, item in data.items()}


def _encode_items(items: Any, arrays: Arrays, where: str) -> list:
    return [encode(item, arrays, f"{where}[{i}]") for i, item in enumerate(items)]


def _encode_pairs(value: dict, arrays: Arrays, where: str) -> list:
    return [
        [encode(key, arrays, f"{where} key"), encode(item, arrays, f"{where}[{key!r}]")]
        for key, item in value.items()
    ]


def _encode_dict(value: dict, arrays: Arrays, where: str) -> dict:
    if all(type(key) is str and not key.startswith("$") for key in value):
        return {
            key: encode(item, arrays, f"{where}[{key!r}]")
            for key, item in value.items()
        }
    return {"$dict": _encode_pairs(value, arrays, where)}


def _encode_array(value: np.ndarray, arrays: Arrays, where: str) -> dict:
    if value.dtype.hasobject:
        raise NotEncodable(value.flat[0] if value.size else value, f"{where} (array)")
    if value.dtype == np.dtype(quaternion.quaternion):
        floats = quaternion.as_float_array(value)
        return {"$quaternions": _encode_array(floats, arrays, where)}
    if value.size > INLINE_ELEMENTS or not _inlines(value.dtype):
        return {"$array": arrays.put(value)}
    inline = {
        "dtype": value.dtype.str,
        "shape": list(value.shape),
        "data": encode(value.ravel(order="C").tolist(), arrays),
    }
    if value.flags.f_contiguous and not value.flags.c_contiguous:
        # The layout decides the order of sums, so it is kept.
        inline["order"] = "F"
    return {"$ndarray": inline}


def _encode_scalar(value: np.generic, arrays: Arrays, where: str) -> dict:
    if _inlines(value.dtype) or value.dtype.kind == "U":
        inline = {"dtype": value.dtype.str, "value": encode(value.item(), arrays)}
        return {"$scalar": inline}
    return {"$element": _encode_array(np.asarray(value), arrays, where)}


def _inlines(dtype: np.dtype) -> bool:
    # A long double does not fit into Python's float.
    return dtype.kind in INLINE_KINDS and dtype.itemsize <= 8


def _encode_float(value: float, _arrays: Arrays, _where: str) -> Any:
    return value if math.isfinite(value) else {"$float": repr(value)}


def _encode_set(value: Any, arrays: Arrays, where: str) -> dict:
    # A set has no order of its own, so it is given one.
    items = _encode_items(list(value), arrays, where)
    return {f"${type(value).__name__}": sorted(items, key=json.dumps)}


def _encode_config(value: Any, arrays: Arrays, where: str) -> dict:
    plain = OmegaConf.to_container(value, resolve=True)
    return {"$omegaconf": encode(plain, arrays, where)}


def _encode_monty(value: Any, arrays: Arrays, where: str) -> dict:
    kind = type(value)
    name = kind.__qualname__
    if kind.__module__ == MAPPINGS.get(name):
        return {"$mapping": [name, _encode_pairs(value, arrays, where)]}
    if kind.__module__ == RECORDS.get(name):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return {"$record": [name, _encode_dict(fields, arrays, where)]}
    if kind.__module__ == GEOMETRY and name == "Rotation":
        return {"$monty_rotation": encode(value.as_scipy_rotation(), arrays, where)}
    if any(base.__module__ == ACTIONS for base in kind.__mro__):
        return {"$action": [value.name, _encode_dict(vars(value), arrays, where)]}
    for further in KINDS:
        if further.is_one(value):
            try:
                parts = further.parts(value)
            except (RuntimeError, TypeError) as error:
                # Such as a tensor of a type that numpy lacks.
                raise NotEncodable(value, where) from error
            return {further.tag: encode(parts, arrays, where)}
    if kind.__module__.startswith("tbp.") and "__reduce__" in vars(kind):
        # A copy of a model whose graph was read as arrays is a plain model.
        plain_one = copy.copy(value)
        if type(plain_one) is not kind:
            return encode(plain_one, arrays, where)
    raise NotEncodable(value, where)


def _same(value: Any, _arrays: Arrays, _where: str) -> Any:
    return value


_ENCODERS: dict[type, Callable[[Any, Arrays, str], Any]] = {
    type(None): _same,
    bool: _same,
    int: _same,
    str: _same,
    float: _encode_float,
    complex: lambda v, a, w: {"$complex": _encode_items([v.real, v.imag], a, w)},
    bytes: lambda v, _a, _w: {"$bytes": base64.b64encode(v).decode("ascii")},
    list: _encode_items,
    tuple: lambda v, a, w: {"$tuple": _encode_items(v, a, w)},
    set: _encode_set,
    frozenset: _encode_set,
    dict: _encode_dict,
    np.ndarray: _encode_array,
    Rotation: lambda v, a, w: {"$rotation": encode(v.as_quat(), a, w)},
    quaternion.quaternion: lambda v, a, w: {
        "$quaternion": encode(v.components.tolist(), a, w)
    },
    DictConfig: _encode_config,
    ListConfig: _encode_config,
}


def _config(parts: Any) -> Any:
    _check_config(parts)
    return OmegaConf.create(parts)


def _check_config(parts: Any) -> None:
    """Refuses interpolations: they call resolvers, and one of upstream's is eval."""
    if isinstance(parts, (dict, list, tuple)):
        for part in parts.values() if isinstance(parts, dict) else parts:
            _check_config(part)
    elif isinstance(parts, str):
        if "${" in parts:
            raise Malformed(f"a file may not hold the interpolation {str(parts)!r}")
    elif not isinstance(parts, (bool, int, float, bytes, type(None))):
        raise TypeError(f"no {type(parts).__name__} is in a configuration")


def _array(parts: dict[str, Any]) -> np.ndarray:
    flat = np.array(parts["data"], dtype=_inline_dtype(parts))
    return np.array(flat.reshape(parts["shape"]), order=parts.get("order", "C"))


def _scalar(parts: dict[str, Any]) -> np.generic:
    if str(parts["dtype"])[1:2] == "U":
        return np.str_(parts["value"])
    return _inline_dtype(parts).type(parts["value"])


def _inline_dtype(parts: dict[str, Any]) -> np.dtype:
    dtype = np.dtype(parts["dtype"])
    if not _inlines(dtype):
        raise TypeError(f"{dtype} is not a type of numbers")
    return dtype


def _mapping(parts: list) -> Any:
    name, pairs = parts
    return imported(f"{MAPPINGS[name]}.{name}")(dict(pairs))


def _record(parts: list) -> Any:
    name, fields = parts
    return imported(f"{RECORDS[name]}.{name}")(**fields)


def _monty_rotation(inner: Rotation) -> Any:
    return imported(f"{GEOMETRY}.Rotation")(inner)


def _action(parts: list) -> Any:
    name, parameters = parts
    base: Any = imported(f"{ACTIONS}.Action")
    for kind in base.__subclasses__():
        if kind.action_name() == name:
            # Not through __init__: the attributes define an action completely.
            action = kind.__new__(kind)
            vars(action).update(parameters)
            return action
    raise LookupError(f"this tbp.monty has no action named {name!r}")


_WHOLES: dict[str, Callable[[Any], Any]] = {
    "$float": float,
    "$complex": lambda parts: complex(*parts),
    "$bytes": base64.b64decode,
    "$tuple": tuple,
    "$set": set,
    "$frozenset": frozenset,
    "$dict": dict,
    "$ndarray": _array,
    "$scalar": _scalar,
    "$element": lambda array: array[()],
    "$quaternion": lambda parts: quaternion.quaternion(*parts),
    "$quaternions": quaternion.as_quat_array,
    # Normalising again could change the last bit.
    "$rotation": lambda quaternions: Rotation(quaternions, normalize=False),
    "$monty_rotation": _monty_rotation,
    "$mapping": _mapping,
    "$record": _record,
    "$action": _action,
    "$omegaconf": _config,
    **{kind.tag: kind.whole for kind in KINDS},
}
"""Restores the value of each tag from its parts, which are decoded already."""
