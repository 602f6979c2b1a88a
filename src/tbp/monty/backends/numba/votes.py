# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Finds the votes that are nearest to hypotheses, in a grid of cells."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numba.compiling import called, launched
from tbp.monty.backends.tables import vote_search
from tbp.monty.backends.tables.blocks import SMALLEST_BLOCK, starts_of

__all__ = ["nearest_votes"]

FEW = 32
"""So many votes are compared without a grid."""

CELLS_PER_VOTE = 8
"""Limits the memory of a grid."""

_MARGIN = 1.0 + 1e-9
"""Cells are a little longer than votes reach, so that rounding loses none."""


class _Grid(NamedTuple):
    """Votes by the cell of a box that they are in.

    Attributes:
        origin: The lowest corner of the box, shape (3,).
        cells_per_unit: The inverse of the length of a cell's edge; 0 for one cell.
        shape: The number of cells along each axis, shape (3,).
        starts: Where the votes of each cell start, and the end. The last axis runs
            fastest.
        order: The votes, one cell after the other.
        places: Where these are, shape (votes, 3).
    """

    origin: npt.NDArray[np.float64]
    cells_per_unit: float
    shape: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    order: npt.NDArray[np.intp]
    places: npt.NDArray[np.float64]


def nearest_votes(
    locations: npt.NDArray[np.float64],
    votes: npt.NDArray[np.float64],
    count: int,
    reach: float,
) -> vote_search.Found:
    """Search votes; see `tables.vote_search`."""
    # What is compiled takes arrays of one kind.
    locations = np.require(locations, np.float64, ["C", "W"])
    if not (np.isfinite(locations).all() and np.isfinite(votes).all()):
        return vote_search.nearest_votes(locations, votes, count, reach)
    distances = np.full((len(locations), count), np.inf)
    found = np.full((len(locations), count), len(votes), dtype=np.intp)
    if len(locations) and len(votes):
        _search(_make_grid(votes, reach), locations, reach, distances, found)
    return distances, found


def _make_grid(votes: npt.NDArray[np.float64], reach: float) -> _Grid:
    origin = votes.min(axis=0)
    extent = votes.max(axis=0) - origin
    edge = reach * _MARGIN
    shape = np.ones(3, dtype=np.int64)
    if len(votes) > FEW and 0 < edge < np.inf:
        # Not many more cells than votes, however far these are apart.
        while np.prod(np.floor(extent / edge) + 1) > CELLS_PER_VOTE * len(votes):
            edge *= 2
        shape += (extent / edge).astype(np.int64)
    else:
        edge = np.inf
    cells = ((votes - origin) / edge).astype(np.int64)
    cell = (cells[:, 0] * shape[1] + cells[:, 1]) * shape[2] + cells[:, 2]
    order = np.argsort(cell, kind="stable")
    starts = starts_of(np.bincount(cell, minlength=int(shape.prod())))
    return _Grid(origin, 1.0 / edge, shape, starts, order, votes[order])


@launched
def _search(grid, locations, reach, distances, found):
    blocks = (len(locations) + SMALLEST_BLOCK - 1) // SMALLEST_BLOCK
    for block in numba.prange(blocks):
        _search_block(grid, np.int64(block), locations, reach, distances, found)


@called
def _search_block(grid, block, locations, reach, distances, found):
    first = block * SMALLEST_BLOCK
    for row in range(first, min(first + SMALLEST_BLOCK, len(locations))):
        _search_row(grid, row, locations, reach, distances, found)


@called
def _search_row(grid, row, locations, reach, distances, found):
    """Keep the nearest votes of a row in order; `distances` are squares until the end.

    Votes in the cells around the row's own may be in reach.
    """
    x, y, z = locations[row, 0], locations[row, 1], locations[row, 2]
    farthest = reach * reach
    low_x, high_x = _cells_around(grid, 0, x)
    low_y, high_y = _cells_around(grid, 1, y)
    low_z, high_z = _cells_around(grid, 2, z)
    count = distances.shape[1]
    for i in range(low_x, high_x):
        for j in range(low_y, high_y):
            # Cells along the last axis stand one after the other.
            cell = (i * grid.shape[1] + j) * grid.shape[2]
            start, stop = cell + low_z, cell + high_z
            if start >= stop:
                continue
            for at in range(grid.starts[start], grid.starts[stop]):
                dx = grid.places[at, 0] - x
                dy = grid.places[at, 1] - y
                dz = grid.places[at, 2] - z
                square = dx * dx + dy * dy + dz * dz
                if not (square < farthest and square < distances[row, count - 1]):
                    continue
                place = count - 1
                while place > 0 and square < distances[row, place - 1]:
                    distances[row, place] = distances[row, place - 1]
                    found[row, place] = found[row, place - 1]
                    place -= 1
                distances[row, place] = square
                found[row, place] = grid.order[at]
    for place in range(count):
        distances[row, place] = np.sqrt(distances[row, place])


@called
def _cells_around(grid, axis, coordinate):
    """Return the first cell along an axis that may have votes in reach, and the end."""
    if grid.cells_per_unit == 0.0:
        return 0, 1
    cell = np.floor((coordinate - grid.origin[axis]) * grid.cells_per_unit)
    count = grid.shape[axis]
    if not (-1.0 <= cell <= count):
        return 0, 0
    return max(np.int64(cell) - 1, 0), min(np.int64(cell) + 2, count)
