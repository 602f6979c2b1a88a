# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Arrays of features that grow by a row, without copying the rows before it."""

from __future__ import annotations

from sys import getrefcount
from typing import Any, Mapping

import numpy as np
import numpy.typing as npt

from tbp.monty import geometry
from tbp.monty.backends.stacked.lazy_dict import LATER, LazyDict

__all__ = ["FeatureRows", "add_row", "nth_row"]

# Releases before 0.55 have arrays instead.
_POSES: Any = tuple(
    getattr(geometry, name)
    for name in ("SurfacePoseVectors", "OrientationMatrix", "GazeDirection")
    if hasattr(geometry, name)
)

_FEWEST_ROWS = 16

_OURS = 3
"""The references to an array that nobody else has: our own, and those of calls."""


def add_row(
    arrays: Mapping[str, npt.NDArray[np.float64]], name: str, value: Any, length: int
) -> bool:
    """Write a value into the last row of an array, after rows of NaN that are missing.

    An array that somebody keeps stays as it is, and what is written to it stays there.

    Args:
        arrays: The arrays, each with one row per step.
        name: The array.
        value: What was sensed on a step.
        length: How many rows the array must have with this step.

    Returns:
        Whether the value was written; if not, it or the arrays are unusual.
    """
    if not isinstance(arrays, FeatureRows):
        return False
    last: Any = length - 1
    if isinstance(value, (int, float)):
        width, last = 1, (last, 0)
    else:
        array = value.value if isinstance(value, _POSES) else value
        if not isinstance(array, np.ndarray):
            return False
        value = array.ravel()
        width = len(value)
    room = arrays.room_for(name, width, length)
    if room is None:
        return False
    room[last] = value
    return True


def nth_row(
    arrays: Mapping[str, npt.NDArray[np.float64]], name: str, n: int
) -> npt.NDArray[np.float64]:
    """Return a row of an array. To read the last one, the array is not made.

    Args:
        arrays: The arrays, each with one row per step.
        name: The array.
        n: Which row; -1 is the last.
    """
    row = arrays.last_row(name) if n == -1 and isinstance(arrays, FeatureRows) else None
    return arrays[name][n] if row is None else row


class FeatureRows(LazyDict[npt.NDArray[np.float64]]):
    """Arrays by name, each of them the first rows of a larger one, its room.

    A row is written into the room. The array is made when somebody asks for it.
    """

    def __init__(self) -> None:
        super().__init__({})
        self._rooms: dict[str, npt.NDArray[np.float64]] = {}
        self._lengths: dict[str, int] = {}

    def make(self, key: str) -> npt.NDArray[np.float64]:
        return self._rooms[key][: self._lengths[key]]

    def last_row(self, name: str) -> npt.NDArray[np.float64] | None:
        """Return the last row of an array that is in its room."""
        room = self._rooms.get(name) if name in self else None
        return None if room is None else room[self._lengths[name] - 1]

    def room_for(
        self, name: str, width: int, length: int
    ) -> npt.NDArray[np.float64] | None:
        """Lengthen an array; return its room, or None if it cannot have such rows."""
        if dict.get(self, name) is not LATER:
            if name not in self:
                return self._new_room(name, width, length)
            self._take_back(name)
        room, rows = self._rooms[name], self._lengths[name]
        available, columns = room.shape
        if columns != width or rows > length:
            return None
        # Somebody who has the array, or a part of it, must not see it change. numpy
        # decides in this way whether an array can be resized.
        if length > available or getrefcount(room) > _OURS:
            former, room = room, self._new_room(name, width, length)
            room[:rows] = former[:rows]
        self._lengths[name] = length
        return room

    def _new_room(self, name: str, width: int, length: int) -> npt.NDArray[np.float64]:
        room = np.empty((max(2 * length, _FEWEST_ROWS), width))
        room.fill(np.nan)
        self._rooms[name], self._lengths[name] = room, length
        dict.__setitem__(self, name, LATER)
        return room

    def _take_back(self, name: str) -> None:
        """Put an array that was asked for or assigned back into a room."""
        if name not in self._rooms:
            array = dict.__getitem__(self, name)
            self._rooms[name] = np.array(array, np.float64)
            self._lengths[name] = len(array)
        dict.__setitem__(self, name, LATER)

    def __setitem__(self, key: str, value: npt.NDArray[np.float64]) -> None:
        # It is somebody's, and has no room.
        self._rooms.pop(key, None)
        super().__setitem__(key, value)
