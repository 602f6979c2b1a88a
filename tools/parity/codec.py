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
import dataclasses
import hashlib
import importlib
import io
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import quaternion
from omegaconf import DictConfig, ListConfig, OmegaConf
from scipy.spatial.transform import Rotation

from .kinds import KINDS, Kind

__all__ = ["Arrays", "NotEncodable", "decode", "encode", "plain"]

INLINE_ELEMENTS = 16
"""Arrays up to this size are in the JSON itself, where a person can read them."""

INLINE_KINDS = "biuf"

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


class NotEncodable(TypeError):
    """A value of a type that the recording format does not know."""

    def __init__(self, value: object, where: str) -> None:
        kind = type(value)
        super().__init__(
            f"cannot record a {kind.__module__}.{kind.__qualname__} "
            f"at {where or 'the top level'}: add it to the codec"
        )


class Arrays:
    """Arrays as ``.npy`` bytes, each stored once, named by its content."""

    def __init__(self) -> None:
        self.members: dict[str, bytes] = {}

    def put(self, array: np.ndarray) -> str:
        """Stores an array.

        Args:
            array: The array; its dtype must not be object.

        Returns:
            The name of the array.
        """
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
    """Returns a fresh, writable array from the bytes of a ``.npy`` file."""
    return np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)


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


def decode(data: Any, read_array: Callable[[str], np.ndarray]) -> Any:
    """Turns the JSON form of a value back into the value.

    Args:
        data: What `encode` returned.
        read_array: Returns a fresh array, given its name.

    Returns:
        The value; nothing in it is shared with another decoded value.
    """
    if isinstance(data, list):
        return [decode(item, read_array) for item in data]
    if not isinstance(data, dict):
        return data
    tag = next(iter(data), "")
    if not tag.startswith("$"):
        return {key: decode(item, read_array) for key, item in data.items()}
    return _DECODERS[tag](data[tag], read_array)


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
            return {further.tag: encode(further.parts(value), arrays, where)}
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


def _decode_array(data: dict, read_array: Callable) -> np.ndarray:
    flat = np.array(decode(data["data"], read_array), dtype=np.dtype(data["dtype"]))
    return np.array(flat.reshape(data["shape"]), order=data.get("order", "C"))


def _decode_scalar(data: dict, read_array: Callable) -> np.generic:
    return np.dtype(data["dtype"]).type(decode(data["value"], read_array))


def _decode_pairs(data: list, read_array: Callable) -> dict:
    return {decode(key, read_array): decode(item, read_array) for key, item in data}


def _decode_mapping(data: list, read_array: Callable) -> Any:
    name, pairs = data
    return _monty_class(MAPPINGS[name], name)(_decode_pairs(pairs, read_array))


def _decode_record(data: list, read_array: Callable) -> Any:
    name, fields = data
    return _monty_class(RECORDS[name], name)(**decode(fields, read_array))


def _decode_action(data: list, read_array: Callable) -> Any:
    name, parameters = data
    base = _monty_class(ACTIONS, "Action")
    for kind in base.__subclasses__():
        if kind.action_name() == name:
            # Not through __init__: the attributes define an action completely.
            action = kind.__new__(kind)
            vars(action).update(decode(parameters, read_array))
            return action
    raise LookupError(f"this tbp.monty has no action named {name!r}")


def _decode_rotation(data: Any, read_array: Callable) -> Any:
    # Normalising again could change the last bit.
    return Rotation(decode(data, read_array), normalize=False)


def _decode_monty_rotation(data: Any, read_array: Callable) -> Any:
    return _monty_class(GEOMETRY, "Rotation")(decode(data, read_array))


def _decode_quaternion(data: Any, read_array: Callable) -> Any:
    return quaternion.quaternion(*decode(data, read_array))


def _decode_quaternions(data: Any, read_array: Callable) -> np.ndarray:
    return quaternion.as_quat_array(decode(data, read_array))


def _decode_omegaconf(data: Any, read_array: Callable) -> Any:
    return OmegaConf.create(decode(data, read_array))


def _decode_kind(kind: Kind) -> Callable[[Any, Callable], Any]:
    return lambda data, read_array: kind.whole(decode(data, read_array))


def _monty_class(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


_DECODERS: dict[str, Callable[[Any, Callable], Any]] = {
    "$float": lambda data, _: float(data),
    "$complex": lambda data, read: complex(*decode(data, read)),
    "$bytes": lambda data, _: base64.b64decode(data),
    "$tuple": lambda data, read: tuple(decode(data, read)),
    "$set": lambda data, read: set(decode(data, read)),
    "$frozenset": lambda data, read: frozenset(decode(data, read)),
    "$dict": _decode_pairs,
    "$array": lambda data, read: read(data),
    "$ndarray": _decode_array,
    "$scalar": _decode_scalar,
    "$element": lambda data, read: decode(data, read)[()],
    "$quaternion": _decode_quaternion,
    "$quaternions": _decode_quaternions,
    "$rotation": _decode_rotation,
    "$monty_rotation": _decode_monty_rotation,
    "$mapping": _decode_mapping,
    "$record": _decode_record,
    "$action": _decode_action,
    "$omegaconf": _decode_omegaconf,
    **{kind.tag: _decode_kind(kind) for kind in KINDS},
}
