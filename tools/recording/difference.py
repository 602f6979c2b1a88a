# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Compares two encoded values and says where and by how much they differ."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .codec import decode

__all__ = ["Delta", "array_delta", "delta", "inside"]

ReadArray = Callable[[str], np.ndarray]


@dataclass
class Delta:
    """How two values differ.

    Attributes:
        equal: Whether they are equal, within the tolerance.
        largest: The largest difference between two numbers at the same place.
        place: Where in the values the first inequality is.
        left: The value there on the left.
        right: The value there on the right.
    """

    equal: bool = True
    largest: float = 0.0
    place: str = ""
    left: Any = None
    right: Any = None

    def unequal(self, place: str, left: Any, right: Any) -> None:
        if self.equal:
            self.equal = False
            self.place, self.left, self.right = place, left, right


def delta(
    left: Any,
    right: Any,
    read_left: ReadArray,
    read_right: ReadArray,
    tolerance: float = 0.0,
) -> Delta:
    """Compares two values in their encoded form.

    NaN equals NaN. With tolerance 0, floats are equal when their bits are, so -0.0 is
    not 0.0, and types and dtypes count. With a tolerance, floats may differ by that
    much and have different widths; all other values must still be equal.

    Args:
        left: The one value.
        right: The other.
        read_left: Reads an array that the left value names.
        read_right: Reads an array that the right value names.
        tolerance: The largest allowed difference of two floats.

    Returns:
        What differs.
    """
    found = Delta()
    _Comparing(found, read_left, read_right, tolerance).walk(left, right, "")
    return found


def array_delta(a: np.ndarray, b: np.ndarray, tolerance: float = 0.0) -> Delta:
    """Compares two arrays, by index, as `delta` does.

    Args:
        a: The one array.
        b: The other.
        tolerance: The largest allowed difference of two floats.

    Returns:
        What differs; the place is an index, or what differs of the arrays themselves.
    """
    found = Delta()
    if a.shape != b.shape:
        found.unequal("shape", list(a.shape), list(b.shape))
        return found
    floats = a.dtype.kind == b.dtype.kind == "f"
    if a.dtype != b.dtype and not (floats and tolerance > 0):
        found.unequal("dtype", a.dtype.str, b.dtype.str)
        return found
    same = _elements_equal(a, b)
    if floats or a.dtype.kind in "iu":
        found.largest = _largest(a, b, same)
    if floats and tolerance > 0:
        with np.errstate(invalid="ignore"):
            same |= np.abs(a - b) <= tolerance
    if not same.all():
        index = tuple(int(i) for i in np.argwhere(~same)[0])
        where = "".join(f"[{i}]" for i in index)
        found.unequal(where, a[index].item(), b[index].item())
    return found


@dataclass
class _Comparing:
    found: Delta
    read_left: ReadArray
    read_right: ReadArray
    tolerance: float

    def walk(self, left: Any, right: Any, place: str) -> None:
        a, b = _number(left), _number(right)
        if a is not None and b is not None:
            same_type = _type(left) == _type(right)
            if not self._numbers_equal(a, b, same_type=same_type):
                self.found.unequal(place, left, right)
        elif _is_array(left) and _is_array(right):
            self._arrays(left, right, place)
        elif isinstance(left, dict) and isinstance(right, dict):
            self._dicts(left, right, place)
        elif isinstance(left, list) and isinstance(right, list):
            self._lists(left, right, place)
        elif type(left) is not type(right) or left != right:
            self.found.unequal(place, left, right)

    def _numbers_equal(self, a: float, b: float, *, same_type: bool) -> bool:
        exact = _same_bits(a, b)
        if not exact and math.isfinite(a) and math.isfinite(b):
            self.found.largest = max(self.found.largest, abs(a - b))
        elif not exact:
            self.found.largest = math.inf
        if self.tolerance > 0 and isinstance(a, float) and isinstance(b, float):
            return exact or abs(a - b) <= self.tolerance
        return exact and same_type

    def _dicts(self, left: dict, right: dict, place: str) -> None:
        if list(left) != list(right):
            self.found.unequal(place, left, right)
        for key, item in left.items():
            if key in right:
                self.walk(item, right[key], inside(place, key))

    def _lists(self, left: list, right: list, place: str) -> None:
        if len(left) != len(right):
            self.found.unequal(place, left, right)
        for i, (a, b) in enumerate(zip(left, right, strict=False)):
            self.walk(a, b, f"{place}[{i}]")

    def _arrays(self, left: dict, right: dict, place: str) -> None:
        if left == right and "$array" in left:
            return
        a = decode(left, self.read_left)
        b = decode(right, self.read_right)
        found = array_delta(a, b, self.tolerance)
        self.found.largest = max(self.found.largest, found.largest)
        if not found.equal:
            self.found.unequal(inside(place, found.place), found.left, found.right)


def _number(data: Any) -> float | int | None:
    if isinstance(data, dict) and "$scalar" in data:
        data = data["$scalar"]["value"]
    if isinstance(data, dict) and "$float" in data:
        return float(data["$float"])
    return data if type(data) in (int, float) else None


def _type(data: Any) -> str:
    if isinstance(data, dict) and "$scalar" in data:
        return data["$scalar"]["dtype"]
    return "int" if type(data) is int else "float"


def _same_bits(a: object, b: object) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        if math.isnan(a) and math.isnan(b):
            return True
        return struct.pack("<d", a) == struct.pack("<d", b)
    return type(a) is type(b) and a == b


def _is_array(data: Any) -> bool:
    return isinstance(data, dict) and ("$array" in data or "$ndarray" in data)


def _elements_equal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    same = np.asarray(a == b)
    if a.dtype.kind == b.dtype.kind == "f":
        same &= np.signbit(a) == np.signbit(b)
        same |= np.isnan(a) & np.isnan(b)
    return same


def _largest(a: np.ndarray, b: np.ndarray, same: np.ndarray) -> float:
    if same.all():
        return 0.0
    with np.errstate(invalid="ignore"):
        gaps = np.abs(a[~same].astype(np.float64) - b[~same].astype(np.float64))
    return float(np.where(np.isnan(gaps), np.inf, gaps).max())


def inside(place: str, key: str) -> str:
    if key.startswith("$"):
        return place
    return f"{place}.{key}" if place and not key.startswith("[") else f"{place}{key}"
