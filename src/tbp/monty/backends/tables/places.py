# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Where the nodes in reach of each cell are, laid out for processors.

Most searches need no more than these. Only the kernels of the host read them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.tables.blocks import starts_of
from tbp.monty.backends.tables.cells import CellGrid

__all__ = ["SIMD_WIDTH", "Places", "make_places"]

SIMD_WIDTH = 8
"""How many places are compared at a time."""


@dataclass(frozen=True)
class Places:
    """Where the members of the cells of a grid are.

    Attributes:
        places: Where they are, seen from the middle of the cell, rounded to 32 bits.
            For each cell first x of all its members, then y, then z. Each of these is
            filled up with infinity to a multiple of `SIMD_WIDTH`, for processors that
            compare several at a time.
        place_starts: How many of them stand before each cell, for each axis, and the
            end, shape (cells + 1,).
        farthest: How far from the middle a coordinate can be.
    """

    places: npt.NDArray[np.float32]
    place_starts: npt.NDArray[np.uint32]
    farthest: float


def make_places(locations: npt.NDArray[np.float64], grid: CellGrid) -> Places:
    """Return where the members of cells are.

    Args:
        locations: Locations of the nodes, shape (n, 3).
        grid: Their cells.
    """
    starts = grid.starts.astype(np.int64)
    counts = np.diff(starts)
    cells = np.repeat(np.arange(len(counts)), counts)
    place_starts = starts_of(-(-counts // SIMD_WIDTH) * SIMD_WIDTH)
    lengths = np.diff(place_starts)[cells]
    # Behind all axes of the cells before, the member's number in its own cell.
    first = (3 * place_starts - starts)[cells] + np.arange(len(cells))
    places = np.full(3 * place_starts[-1], np.inf, dtype=np.float32)
    farthest = 0.0
    all_along = np.unravel_index(np.arange(len(counts)), tuple(grid.shape))
    for axis, along in enumerate(all_along):
        middles = grid.origin[axis] + (along + 0.5) / grid.cells_per_unit
        from_middle = locations[grid.members, axis] - middles[cells]
        with np.errstate(over="ignore"):  # spots that far are searched in 64 bits
            places[first + axis * lengths] = from_middle
        farthest = max(farthest, float(np.abs(from_middle).max(initial=0.0)))
    return Places(places, place_starts.astype(np.uint32), farthest)
