# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adds a row to an array of features, without copying the rows before it."""

from __future__ import annotations

import weakref
from sys import getrefcount
from typing import Any, MutableMapping

import numpy as np
import numpy.typing as npt

from tbp.monty import geometry

__all__ = ["add_row"]

# Releases before 0.55 have arrays instead.
_POSES: Any = tuple(
    getattr(geometry, name)
    for name in ("SurfacePoseVectors", "OrientationMatrix", "GazeDirection")
    if hasattr(geometry, name)
)

_FEWEST_ROWS = 16

_OF_ROWS = 4
"""The references to an array that only a buffer has: its own, and those of calls."""

_OF_WHOLE = 3
"""The references to what that array is a part of."""


def add_row(
    arrays: MutableMapping[str, npt.NDArray[np.float64]],
    name: str,
    value: Any,
    length: int,
) -> bool:
    """Write a value into the last row of an array, after rows of NaN that are missing.

    An array that somebody keeps stays as it is, and what is written to it stays there.

    Args:
        arrays: The arrays, each with one row per step.
        name: The array.
        value: What was sensed on a step.
        length: How many rows the array must have with this step.

    Returns:
        Whether the value was written; if not, it is an unusual one.
    """
    last: Any = -1
    if isinstance(value, (int, float)):
        width, last = 1, (-1, 0)
    else:
        array = value.value if isinstance(value, _POSES) else value
        if not isinstance(array, np.ndarray):
            return False
        value = array.ravel()
        width = len(value)
    rows = arrays.get(name)
    if rows is None:
        rows = np.empty((0, width))
    if rows.shape[1] != width:
        return False
    if len(rows) < length:
        rows = arrays[name] = _lengthened(rows, length)
    rows[last] = value
    return True


class _Room(np.ndarray):
    """Rows of which an array has the first ones; the others are NaN."""

    last: weakref.ref[npt.NDArray[np.float64]]
    """This array."""


def _lengthened(rows: npt.NDArray[np.float64], length: int) -> npt.NDArray[np.float64]:
    whole: Any = rows.base
    room: Any = getattr(whole, "base", None)
    # Somebody who has the array, or a part of it, must not see it change. numpy decides
    # in this way whether an array can be resized.
    is_shared = getrefcount(rows) > _OF_ROWS or getrefcount(whole) > _OF_WHOLE
    has_room = isinstance(room, _Room) and room.last() is rows and length <= len(room)
    if is_shared or not has_room:
        room = _Room((max(2 * length, _FEWEST_ROWS), rows.shape[1]))
        # A part of it is an array like any other.
        whole = room.view(np.ndarray)
        whole.fill(np.nan)
        whole[: len(rows)] = rows
    longer = whole[:length]
    room.last = weakref.ref(longer)
    return longer
