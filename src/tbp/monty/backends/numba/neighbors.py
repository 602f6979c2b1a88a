# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The nearest nodes of a place, compiled: those of `numpy.neighbors`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbp.monty.backends.numba.compiling import called

__all__ = ["box_of", "nearest_nodes"]


class _Box(NamedTuple):
    """Where the nodes of one graph are. Scalars only, to stay in registers."""

    radius: float
    lowest_x: float
    lowest_y: float
    lowest_z: float
    highest_x: float
    highest_y: float
    highest_z: float
    origin_x: float
    origin_y: float
    origin_z: float
    cells_per_unit: float
    cells_x: float
    cells_y: float
    cells_z: float
    first_cell: np.uint64
    first_member: np.uint64


@called
def box_of(graph, boxes):
    """Return a row of `GraphTable.boxes`; `BOX` has the order of its columns."""
    return _Box(
        radius=boxes[graph, 0],
        lowest_x=boxes[graph, 1],
        lowest_y=boxes[graph, 2],
        lowest_z=boxes[graph, 3],
        highest_x=boxes[graph, 4],
        highest_y=boxes[graph, 5],
        highest_z=boxes[graph, 6],
        origin_x=boxes[graph, 7],
        origin_y=boxes[graph, 8],
        origin_z=boxes[graph, 9],
        cells_per_unit=boxes[graph, 10],
        cells_x=boxes[graph, 11],
        cells_y=boxes[graph, 12],
        cells_z=boxes[graph, 13],
        first_cell=np.uint64(boxes[graph, 14]),
        first_member=np.uint64(boxes[graph, 15]),
    )


@called
def nearest_nodes(
    x,
    y,
    z,
    wanted,
    box,
    cell_starts,
    members,
    member_x,
    member_y,
    member_z,
    near,
    squares,
):
    """Find the nearest nodes within the radius; of equally near ones the first.

    `members` are the nodes in reach of each cell, and `member_x` to `member_z` where
    they are. `near` receives the nodes. It and the buffer for squares of distances have
    room for all nodes of the graph.

    Returns:
        How many were found.
    """
    if _is_out_of_reach(x, y, z, box):
        return 0
    cell_x = _cell((x - box.origin_x) * box.cells_per_unit, box.cells_x)
    cell_y = _cell((y - box.origin_y) * box.cells_per_unit, box.cells_y)
    cell_z = _cell((z - box.origin_z) * box.cells_per_unit, box.cells_z)
    # Unsigned, as numba checks whether signed indices are negative. Exact, as numbers
    # of cells are small.
    one = np.uint64(1)
    cell = np.uint64((cell_x * box.cells_y + cell_y) * box.cells_z + cell_z)
    cell = box.first_cell + cell
    first = box.first_member + np.uint64(cell_starts[cell])
    count = box.first_member + np.uint64(cell_starts[cell + one]) - first
    # A loop of its own, which LLVM computes with vectors.
    for place in range(np.uint64(0), count, one):
        away_x = member_x[first + place] - x
        away_y = member_y[first + place] - y
        away_z = member_z[first + place] - z
        squares[place] = (away_x * away_x + away_y * away_y) + away_z * away_z
    # Rounded or not, a distance less than the radius has a square not above this.
    limit = box.radius * box.radius
    found = np.uint64(0)
    for place in range(np.uint64(0), count, one):
        # Always written, to avoid a branch that cannot be predicted.
        near[found] = members[first + place]
        square = squares[place]
        squares[found] = square
        found += np.uint64(square <= limit)
    if found > np.uint64(wanted):
        _leave_nearest(found, np.uint64(wanted), near, squares)
        return wanted
    return np.int64(found)


@called
def _cell(at, cells):
    """Return the cell of a place along an axis, not yet as an integer.

    Clipped before the conversion, which would overflow for a far location.
    """
    at = np.floor(at)
    at = max(at, 0.0)
    return min(at, cells - 1.0)


@called
def _leave_nearest(found, wanted, near, squares):
    """Put the nearest nodes to the front."""
    one = np.uint64(1)
    farthest = _farthest(wanted, near, squares)
    for place in range(wanted, found, one):
        if _is_farther(farthest, place, near, squares):
            near[farthest] = near[place]
            squares[farthest] = squares[place]
            farthest = _farthest(wanted, near, squares)


@called
def _farthest(count, near, squares):
    farthest = np.uint64(0)
    for place in range(np.uint64(1), count, np.uint64(1)):
        if _is_farther(place, farthest, near, squares):
            farthest = place
    return farthest


@called
def _is_farther(place, other, near, squares):
    if squares[place] == squares[other]:
        return near[place] > near[other]
    return squares[place] > squares[other]


@called
def _is_out_of_reach(x, y, z, box):
    return (
        x - box.highest_x > box.radius
        or y - box.highest_y > box.radius
        or z - box.highest_z > box.radius
        or box.lowest_x - x > box.radius
        or box.lowest_y - y > box.radius
        or box.lowest_z - z > box.radius
    )
