# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adds votes to the evidence of hypotheses; votes are found in a grid of cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import prange

from tbp.monty.backends.numba.compiling import SHORT, called, launched
from tbp.monty.backends.numpy.votes import (
    ROUNDING,
    VotesForGraph,
    evidence_with_votes,
)
from tbp.monty.backends.tables.blocks import SMALLEST_BLOCK
from tbp.monty.backends.tables.hypotheses import HypothesisTable

__all__ = ["add_votes"]

_CELLS = 1024
_CELLS_PER_VOTE = 8
"""Limit the memory of a grid."""

_LARGE = 1e150
"""The square of a number that is not smaller may be infinite."""

_MARGIN = 1.0 + 1e-9
"""Cells are a little longer than votes reach, so that rounding loses none."""


class _Grid(NamedTuple):
    """Votes by the cells of a box from which they may be in reach.

    Attributes:
        lowest: The lowest corner of the votes, shape (3,). The box has one more cell on
            each side.
        cells_per_unit: The inverse of the length of a cell's edge; 0 if all votes are
            in the cell in the middle.
        shape: The number of cells along each axis, shape (3,). The last axis runs
            fastest.
        starts: Where the votes of each cell start in `order`, and the end.
        order: The votes in each cell and the cells around it, cell by cell.
    """

    lowest: npt.NDArray[np.float64]
    cells_per_unit: float
    shape: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    order: npt.NDArray[np.int32]


def add_votes(table: HypothesisTable, segment: int, votes: VotesForGraph) -> None:
    """Add votes to the evidence of a segment."""
    place = table.segment(segment)
    evidence, locations = table.evidence[place], table.locations[place]
    is_unsure = np.ones(len(evidence), dtype=np.bool_)
    if len(votes.locations) and (np.abs(votes.locations) < _LARGE).all():
        _add(
            _as_compiled_for(votes.locations),
            _as_compiled_for(votes.confidences),
            (
                float(votes.reach),
                float(votes.distance),
                float(votes.weight),
                bool(votes.is_bounded),
            ),
            locations,
            evidence,
            is_unsure,
        )
    # Where rounding decides which votes count, or numbers are too large.
    unsure = np.flatnonzero(is_unsure)
    if len(unsure):
        evidence[unsure] = evidence_with_votes(
            evidence[unsure], locations[unsure], votes
        )


def _as_compiled_for(array: npt.NDArray) -> npt.NDArray[np.float64]:
    """Return an array of the type and layout that `_add` is compiled for."""
    return np.require(array, np.float64, ["C", "W"])


@launched(parallel=True)
def _add(votes, confidences, counting, locations, evidence, is_unsure):
    """Add votes; `counting` has how they count, see `VotesForGraph`."""
    grid = _make_grid(votes, counting[0])
    # Loops in threads cannot take tuples with names.
    cells = (grid.lowest, grid.cells_per_unit, grid.shape, grid.starts, grid.order)
    blocks = (len(locations) + SMALLEST_BLOCK - 1) // SMALLEST_BLOCK
    if (30 + 7 * _votes_in_a_cell(grid)) * len(locations) > SHORT:
        for block in prange(blocks):
            _add_block(
                np.int64(block),
                cells,
                votes,
                confidences,
                counting,
                locations,
                evidence,
                is_unsure,
            )
    else:
        for block in range(blocks):
            _add_block(
                block,
                cells,
                votes,
                confidences,
                counting,
                locations,
                evidence,
                is_unsure,
            )


@called
def _make_grid(votes, reach):
    """Note each vote in its cell and the cells around it, which are 27."""
    lowest, edge, shape = _make_box(votes, reach)
    around = np.empty(27, dtype=np.int64)
    for i in range(27):
        around[i] = (i // 9 * shape[1] + i // 3 % 3) * shape[2] + i % 3
    starts = np.zeros(shape[0] * shape[1] * shape[2] + 1, dtype=np.int64)
    first_cells = np.empty(len(votes), dtype=np.int64)
    for vote in range(len(votes)):
        cell = 0
        for axis in range(3):
            cell *= shape[axis]
            cell += np.int64((votes[vote, axis] - lowest[axis]) / edge)
        first_cells[vote] = cell
        for i in range(27):
            starts[cell + around[i]] += 1
    for cell in range(1, len(starts)):
        starts[cell] += starts[cell - 1]
    order = np.empty(starts[-1], dtype=np.int32)
    # So far these are the ends; from there each cell is filled backwards.
    for vote in range(len(votes)):
        for i in range(27):
            cell = first_cells[vote] + around[i]
            starts[cell] -= 1
            order[starts[cell]] = vote
    return _Grid(lowest, 1.0 / edge, shape, starts, order)


@called
def _votes_in_a_cell(grid):
    """Return how many votes a cell has in the mean, not counting cells without any."""
    filled = 0
    for cell in range(len(grid.starts) - 1):
        filled += grid.starts[cell + 1] > grid.starts[cell]
    return len(grid.order) // filled


@called
def _make_box(votes, reach):
    """Return the lowest corner of votes, the length of a cell, and how many there are.

    Cells are at least as long as votes reach.
    """
    # Number by number: numba takes seconds to compile operations on whole arrays.
    lowest, extent = np.empty(3), np.empty(3)
    for axis in range(3):
        least, most = _bounds(votes[:, axis])
        lowest[axis] = least
        extent[axis] = most - least
    edge = np.inf
    if 0 < reach < np.inf:
        edge = reach * _MARGIN
        # Not many more cells than votes, however far these are apart.
        while _cells(extent, edge) > _CELLS + _CELLS_PER_VOTE * len(votes):
            edge *= 2
    shape = np.empty(3, dtype=np.int64)
    for axis in range(3):
        shape[axis] = 3 + np.int64(extent[axis] / edge)
    return lowest, edge, shape


@called
def _bounds(numbers):
    lowest = highest = numbers[0]
    for number in numbers:
        lowest = min(lowest, number)
        highest = max(highest, number)
    return lowest, highest


@called
def _cells(extent, edge):
    return (
        (np.floor(extent[0] / edge) + 3)
        * (np.floor(extent[1] / edge) + 3)
        * (np.floor(extent[2] / edge) + 3)
    )


@called
def _add_block(
    block, cells, votes, confidences, counting, locations, evidence, is_unsure
):
    """Add votes to the evidence of a block's rows, but not where it is unsure which."""
    grid = _Grid(*cells)
    reach, distance, weight, is_bounded = counting
    first = block * SMALLEST_BLOCK
    for row in range(first, min(first + SMALLEST_BLOCK, len(locations))):
        x, y, z = locations[row, 0], locations[row, 1], locations[row, 2]
        if not np.isfinite(x + y + z):
            continue  # the sum is infinite or NaN if one of them is
        nearest, last, following = _nearest(grid, votes, x, y, z, reach)
        unsure = following - last <= ROUNDING * following
        highest = -np.inf
        for square, vote in nearest:
            if vote < 0:
                break
            near = np.sqrt(square)
            is_too_far = _is_too_far(near, distance)
            if _is_too_far(near * (1 - ROUNDING), distance) != _is_too_far(
                near * (1 + ROUNDING), distance
            ):
                unsure = True
            if not is_too_far:
                confidence = confidences[vote]
                unsure = unsure or np.isnan(confidence)
                highest = max(highest, confidence)
        is_unsure[row] = unsure
        if unsure:
            continue
        has_vote = highest > -np.inf
        total = evidence[row] + (highest if has_vote else 0.0) * weight
        if is_bounded:
            total = total / (1.0 + weight if has_vote else 1.0)
        evidence[row] = total


@called
def _is_too_far(near, distance):
    return (distance - near) / distance <= 0


@called
def _nearest(grid, votes, x, y, z, reach):
    """Return the `NEAREST` votes, and how far the last of them and the next one are.

    Of each, the square of its distance, and which vote it is; -1 for none. Without a
    next one, both distances are NaN.
    """
    farthest = reach * reach
    d0 = d1 = d2 = d3 = farthest
    v0 = v1 = v2 = v3 = -1
    cell = _cell_of(grid, x, y, z)
    if cell >= 0:
        for at in range(grid.starts[cell], grid.starts[cell + 1]):
            vote = grid.order[at]
            dx = votes[vote, 0] - x
            dy = votes[vote, 1] - y
            dz = votes[vote, 2] - z
            square = dx * dx + dy * dy + dz * dz
            if not square < d3:
                continue
            if square < d1:
                d3, v3, d2, v2 = d2, v2, d1, v1
                if square < d0:
                    d1, v1, d0, v0 = d0, v0, square, vote
                else:
                    d1, v1 = square, vote
            elif square < d2:
                d3, v3, d2, v2 = d2, v2, square, vote
            else:
                d3, v3 = square, vote
    last = following = np.nan
    if v3 >= 0:
        last, following = np.sqrt(d2), np.sqrt(d3)
    return ((d0, v0), (d1, v1), (d2, v2)), last, following


@called
def _cell_of(grid, x, y, z):
    """Return the cell of a location, -1 if it is not in the box."""
    cell_x = np.floor((x - grid.lowest[0]) * grid.cells_per_unit) + 1
    cell_y = np.floor((y - grid.lowest[1]) * grid.cells_per_unit) + 1
    cell_z = np.floor((z - grid.lowest[2]) * grid.cells_per_unit) + 1
    shape = grid.shape
    if not (
        0 <= cell_x < shape[0] and 0 <= cell_y < shape[1] and 0 <= cell_z < shape[2]
    ):
        return -1
    row = np.int64(cell_x) * shape[1] + np.int64(cell_y)
    return row * shape[2] + np.int64(cell_z)
