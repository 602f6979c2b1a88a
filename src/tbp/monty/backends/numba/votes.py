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

from tbp.monty.backends.numba.compiling import allocating, called, inlined, launched
from tbp.monty.backends.numba.threads import for_each
from tbp.monty.backends.numpy.votes import (
    NEAREST,
    ROUNDING,
    VotesForGraph,
    evidence_with_votes,
)
from tbp.monty.backends.tables.blocks import SMALLEST_BLOCK
from tbp.monty.backends.tables.hypotheses import HypothesisTable

__all__ = ["add_votes"]

_FEW = 32
"""So many votes are compared without a grid."""

_CELLS_PER_VOTE = 8
"""Limits the memory of a grid."""

_MARGIN = 1.0 + 1e-9
"""Cells are a little longer than votes reach, so that rounding loses none."""


class _Counting(NamedTuple):
    """How votes count; see `VotesForGraph`."""

    reach: float
    distance: float
    weight: float
    is_bounded: bool


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
    order: npt.NDArray[np.int64]
    places: npt.NDArray[np.float64]


def add_votes(table: HypothesisTable, segment: int, votes: VotesForGraph) -> None:
    """Add votes to the evidence of a segment."""
    place = table.segment(segment)
    evidence, locations = table.evidence[place], table.locations[place]
    is_unsure = np.ones(len(evidence), dtype=np.bool_)
    if len(votes.locations) and np.isfinite(votes.locations).all():
        _add(
            _as_compiled_for(votes.locations),
            _as_compiled_for(votes.confidences),
            _Counting(
                reach=float(votes.reach),
                distance=float(votes.distance),
                weight=float(votes.weight),
                is_bounded=bool(votes.is_bounded),
            ),
            locations,
            evidence,
            is_unsure,
        )
    # Where rounding decides which votes count, or numbers are not finite.
    unsure = np.flatnonzero(is_unsure)
    if len(unsure):
        evidence[unsure] = evidence_with_votes(
            evidence[unsure], locations[unsure], votes
        )


def _as_compiled_for(array: npt.NDArray) -> npt.NDArray[np.float64]:
    """Return an array of the type and layout that `_add` is compiled for."""
    return np.require(array, np.float64, ["C", "W"])


@launched
def _add(votes, confidences, counting, locations, evidence, is_unsure):
    grid = _make_grid(votes, counting.reach)
    blocks = (len(locations) + SMALLEST_BLOCK - 1) // SMALLEST_BLOCK
    for_each(
        _add_block,
        blocks,
        (grid, confidences, counting, locations, evidence, is_unsure),
    )


@allocating
def _make_grid(votes, reach):
    """Sort votes into cells that are at least as long as votes reach."""
    # Number by number: numba takes seconds to compile operations on whole arrays.
    origin, extent = np.empty(3), np.empty(3)
    for axis in range(3):
        lowest, highest = _bounds(votes[:, axis])
        origin[axis] = lowest
        extent[axis] = highest - lowest
    edge = np.inf
    shape = np.empty(3, dtype=np.int64)
    if len(votes) > _FEW and 0 < reach < np.inf:
        edge = reach * _MARGIN
        # Not many more cells than votes, however far these are apart.
        while _cells(extent, edge) > _CELLS_PER_VOTE * len(votes):
            edge *= 2
    for axis in range(3):
        shape[axis] = 1 + np.int64(extent[axis] / edge)
    cell_of = np.empty(len(votes), dtype=np.int64)
    starts = np.empty(shape[0] * shape[1] * shape[2] + 1, dtype=np.int64)
    starts[:] = 0
    for vote in range(len(votes)):
        cell = 0
        for axis in range(3):
            cell *= shape[axis]
            cell += np.int64((votes[vote, axis] - origin[axis]) / edge)
        cell_of[vote] = cell
        starts[cell + 1] += 1
    for cell in range(1, len(starts)):
        starts[cell] += starts[cell - 1]
    order = np.empty(len(votes), dtype=np.int64)
    places = np.empty(votes.shape)
    free = starts.copy()
    for vote in range(len(votes)):
        at = free[cell_of[vote]]
        free[cell_of[vote]] += 1
        order[at] = vote
        for axis in range(3):
            places[at, axis] = votes[vote, axis]
    return _Grid(origin, 1.0 / edge, shape, starts, order, places)


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
        (np.floor(extent[0] / edge) + 1)
        * (np.floor(extent[1] / edge) + 1)
        * (np.floor(extent[2] / edge) + 1)
    )


@allocating
def _add_block(block, grid, confidences, counting, locations, evidence, is_unsure):
    """Add votes to the evidence of a block's rows, but not where it is unsure which."""
    reach, distance, weight, is_bounded = counting
    count = min(NEAREST, len(confidences))
    # One more than count, to see whether the last of them is one of several equally
    # near ones.
    distances = np.empty(count + 1, dtype=np.float64)
    found = np.empty(count + 1, dtype=np.int64)
    first = block * SMALLEST_BLOCK
    for row in range(first, min(first + SMALLEST_BLOCK, len(locations))):
        x, y, z = locations[row, 0], locations[row, 1], locations[row, 2]
        if not np.isfinite(x + y + z):
            continue  # the sum is infinite or NaN if one of them is
        _search_row(grid, locations[row], reach, distances, found)
        last = distances[count]
        unsure = last < np.inf and last - distances[count - 1] <= ROUNDING * last
        highest = -np.inf
        for i in range(count):
            near = distances[i]
            is_too_far = _is_too_far(near, distance)
            if _is_too_far(near * (1 - ROUNDING), distance) != _is_too_far(
                near * (1 + ROUNDING), distance
            ):
                unsure = True
            if not is_too_far:
                confidence = confidences[found[i]]
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


@inlined
def _search_row(grid, location, reach, distances, found):
    """Keep the nearest votes in order; `distances` are squares until the end.

    Votes in the cells around the location's own may be in reach.
    """
    count = len(distances)
    for place in range(count):
        distances[place] = np.inf
    x, y, z = location[0], location[1], location[2]
    farthest = reach * reach
    origin, shape, per_unit = grid.origin, grid.shape, grid.cells_per_unit
    low_x, high_x = _cells_around(x - origin[0], shape[0], per_unit)
    low_y, high_y = _cells_around(y - origin[1], shape[1], per_unit)
    low_z, high_z = _cells_around(z - origin[2], shape[2], per_unit)
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
                if not (square < farthest and square < distances[count - 1]):
                    continue
                place = count - 1
                while place > 0 and square < distances[place - 1]:
                    distances[place] = distances[place - 1]
                    found[place] = found[place - 1]
                    place -= 1
                distances[place] = square
                found[place] = grid.order[at]
    for place in range(count):
        distances[place] = np.sqrt(distances[place])


@called
def _cells_around(distance, count, cells_per_unit):
    """Return the first cell along an axis that may have votes in reach, and the end.

    `distance` is that from the lowest corner of the grid, which has `count` cells.
    """
    if cells_per_unit == 0.0:
        return 0, 1
    cell = np.floor(distance * cells_per_unit)
    if not (-1.0 <= cell <= count):
        return 0, 0
    return max(np.int64(cell) - 1, 0), min(np.int64(cell) + 2, count)
