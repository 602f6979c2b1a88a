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

from tbp.monty.backends.numba.compiling import called, inlined
from tbp.monty.backends.numba.simd import (
    count_bits,
    eight_at,
    eight_times,
    floors,
    lowest_bit,
    put,
    where_above,
    which_up_to,
)
from tbp.monty.backends.tables.graphs import RECORD
from tbp.monty.backends.tables.places import SIMD_WIDTH

__all__ = [
    "Sought",
    "box_of",
    "find_spots",
    "is_out_of_reach",
    "nearest_nodes",
    "spot_of",
]

_MOST_TRIES = 6
"""At most that many distances are tried to find few more nodes than are wanted."""

_FEW = 6
"""How many nodes more than are wanted are quickly removed by comparing all."""

_ROUGH_SQUARE = 2.0**-19
"""How far a rough square may be off, relative to radius times largest coordinate.

Coordinates, their differences, products and sums are each off by 2**-24 of themselves
at most; together that is less than half of this.
"""

_CELL = 3
"""Which row of `Sought.spots` has the cells."""

_FIRST_MEMBER, _MEMBER_COUNT, _FIRST_PLACE, _PLACE_COUNT = range(4)
"""The columns of `Sought.lists`."""


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
    cell_length: float
    cells_x: float
    cells_y: float
    cells_z: float
    first_cell: np.uint64
    first_member: np.uint64
    first_place: np.uint64
    farthest: float


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
        cell_length=1.0 / boxes[graph, 10],
        cells_x=boxes[graph, 11],
        cells_y=boxes[graph, 12],
        cells_z=boxes[graph, 13],
        first_cell=np.uint64(boxes[graph, 14]),
        first_member=np.uint64(boxes[graph, 15]),
        first_place=np.uint64(boxes[graph, 16]),
        farthest=boxes[graph, 17],
    )


class Sought(NamedTuple):
    """What four hypotheses expect, and where.

    Attributes:
        normals: Surface normals, shape (3, 4).
        directions: Curvature directions, shape (3, 4).
        unusable: How many of these numbers are unusable, shape (4,).
        spots: The coordinates of `_Spot`, before rounding, and the cell, shape (4, 4).
        lists: The starts and counts of `_Spot`, by hypothesis, shape (4, 4).
    """

    normals: np.ndarray
    directions: np.ndarray
    unusable: np.ndarray
    spots: np.ndarray
    lists: np.ndarray


class _Spot(NamedTuple):
    """A place that neighbours are searched for.

    Attributes:
        x: Where it is, from the middle of its cell, rounded.
        y: Where it is, from the middle of its cell, rounded.
        z: Where it is, from the middle of its cell, rounded.
        first_member: Where the nodes in reach of the cell start.
        member_count: How many they are.
        first_place: Where their places start.
        place_count: How many there are for each axis.
        reach: No coordinate is larger, that of no node and not its own.
    """

    x: np.float32
    y: np.float32
    z: np.float32
    first_member: np.uint64
    member_count: np.uint64
    first_place: np.uint64
    place_count: np.uint64
    reach: float


@inlined
def find_spots(x, y, z, box, cell_starts, place_starts, sought):
    """Find the spots of four places, see `spot_of`.

    Four at a time, so that the latencies of their loads overlap. `sought` receives the
    spots.
    """
    x = x - box.origin_x
    y = y - box.origin_y
    z = z - box.origin_z
    cell_x = _cells(x * box.cells_per_unit, box.cells_x)
    cell_y = _cells(y * box.cells_per_unit, box.cells_y)
    cell_z = _cells(z * box.cells_per_unit, box.cells_z)
    put(sought.spots[0], 0, x - (cell_x + 0.5) * box.cell_length)
    put(sought.spots[1], 0, y - (cell_y + 0.5) * box.cell_length)
    put(sought.spots[2], 0, z - (cell_z + 0.5) * box.cell_length)
    cells = (cell_x * box.cells_y + cell_y) * box.cells_z + cell_z
    put(sought.spots[_CELL], 0, cells)
    for lane in range(np.uint64(4)):
        # Unsigned, as numba checks whether signed indices are negative.
        cell = box.first_cell + np.uint64(np.int64(sought.spots[_CELL, lane]))
        after = cell + np.uint64(1)
        first, stop = np.uint64(cell_starts[cell]), np.uint64(cell_starts[after])
        sought.lists[lane, _FIRST_MEMBER] = box.first_member + first
        sought.lists[lane, _MEMBER_COUNT] = stop - first
        first, stop = np.uint64(place_starts[cell]), np.uint64(place_starts[after])
        sought.lists[lane, _FIRST_PLACE] = box.first_place + np.uint64(3) * first
        sought.lists[lane, _PLACE_COUNT] = stop - first


@inlined
def _cells(at, cells):
    """Return the cell of four places along an axis, not yet as an integer.

    Clipped before the conversion, which would overflow for a far location.
    """
    at = floors(at)
    at = where_above(0.0, at, 0.0, at)
    return where_above(at, cells - 1.0, cells - 1.0, at)


@inlined
def spot_of(lane, box, sought):
    x, y, z = sought.spots[0, lane], sought.spots[1, lane], sought.spots[2, lane]
    return _Spot(
        x=np.float32(x),
        y=np.float32(y),
        z=np.float32(z),
        first_member=sought.lists[lane, _FIRST_MEMBER],
        member_count=sought.lists[lane, _MEMBER_COUNT],
        first_place=sought.lists[lane, _FIRST_PLACE],
        place_count=sought.lists[lane, _PLACE_COUNT],
        reach=box.farthest + max(abs(x), abs(y), abs(z)),
    )


@inlined
def nearest_nodes(
    x,
    y,
    z,
    wanted,
    box,
    spot,
    records,
    members,
    places,
    near,
    squares,
    rough_squares,
):
    """Find the nearest nodes within the radius; of equally near ones the first.

    Nodes beyond the radius may be among them, where there are fewer than are wanted.

    `spot` is where `x`, `y` and `z` are. `records` are those of the graph's nodes, one
    after the other. `near` receives the nodes, by their number among those in reach. It
    and the buffers for squares of distances have room for all nodes of the graph, and
    for a few vectors.

    Returns:
        How many were found.
    """
    found = _nearest_in_32_bits(
        wanted, box.radius, spot, places[spot.first_place :], near, rough_squares
    )
    if found < 0:
        return _nearest_in_64_bits(
            x, y, z, wanted, box.radius, spot, records, members, near, squares
        )
    return found


@inlined
def _nearest_in_32_bits(wanted, radius, spot, places, near, squares):
    """Find the nearest nodes by rounded distances, if these leave no doubt.

    `squares` receives the rounded squares of all distances.

    Returns:
        How many were found; -1 if rounding may have changed which they are.
    """
    square = radius * radius
    margin = _ROUGH_SQUARE * radius * spot.reach
    # Squares of very large or very small numbers overflow or underflow in 32 bits.
    if not (margin < 1e-3 * square and square > 1e-24 and spot.reach < 1e12):
        return -1
    count = spot.place_count
    limit = np.float32(square + margin)
    found = np.uint64(0)
    for place in range(np.uint64(0), count, np.uint64(SIMD_WIDTH)):
        away_x = eight_at(places, place) - spot.x
        away_y = eight_at(places, count + place) - spot.y
        away_z = eight_at(places, count + count + place) - spot.z
        eight = (away_x * away_x + away_y * away_y) + away_z * away_z
        put(squares, place, eight)
        found += count_bits(which_up_to(eight, limit))
    # All of these are compared with each other, in whole vectors.
    most = np.uint64(-(-(wanted + _FEW) // SIMD_WIDTH) * SIMD_WIDTH)
    if found > most:
        found, limit = _little_more_than(
            np.uint64(wanted), most, found, limit, squares, count
        )
        if found > most:
            return -1
    _bring_to_the_front(limit, near, squares, count)
    if found <= np.uint64(wanted):
        return np.int64(found)
    for place in range(found, most, np.uint64(SIMD_WIDTH)):
        put(squares, place, eight_times(np.float32(np.inf)))
    return _leave_those_surely_nearest(
        wanted, most, np.float32(2.0 * margin), near, squares
    )


@inlined
def _count_up_to(limit, squares, count):
    total = np.uint64(0)
    for place in range(np.uint64(0), count, np.uint64(SIMD_WIDTH)):
        total += count_bits(which_up_to(eight_at(squares, place), limit))
    return total


@inlined
def _little_more_than(wanted, most, found, highest, squares, count):
    """Find a limit that a few squares more than are wanted do not exceed.

    Args:
        wanted: How many squares are wanted.
        most: How many there may be at most.
        found: How many are within the highest limit, which are more.
        highest: The highest limit.
        squares: The squares.
        count: How many there are.

    Returns:
        How many are within the limit, more than `most` if none was found at once; and
        the limit.
    """
    lowest = np.float32(0.0)
    below, above = np.uint64(0), found
    aim = np.float32(wanted + most) * np.float32(0.5)
    for tried in range(_MOST_TRIES):
        # On a surface the number of nodes grows with the square of the distance.
        part = (aim - np.float32(below)) / np.float32(above - below)
        if tried > 2:
            part = np.float32(0.5)
        limit = np.float32(lowest + (highest - lowest) * part)
        within = _count_up_to(limit, squares, count)
        if within > wanted:
            highest, above = limit, within
            if above <= most:
                break
        else:
            lowest, below = limit, within
    return above, highest


@inlined
def _bring_to_the_front(limit, near, squares, count):
    """Bring squares within a limit to the front, and note where they were."""
    kept = np.uint64(0)
    for first in range(np.uint64(0), count, np.uint64(64)):
        bits = np.uint64(0)
        for place in range(
            first, min(first + np.uint64(64), count), np.uint64(SIMD_WIDTH)
        ):
            eight = which_up_to(eight_at(squares, place), limit)
            bits |= eight << (place - first)
        while bits:
            place = first + lowest_bit(bits)
            near[kept] = np.uint32(place)
            squares[kept] = squares[place]
            bits &= bits - np.uint64(1)
            kept += np.uint64(1)


@inlined
def _leave_those_surely_nearest(wanted, count, doubt, near, squares):
    """Take the farthest nodes out; return how many are left, or -1 if in doubt."""
    kept = np.uint64(0)
    for place in range(count):
        # One of the nearest, if no more than are wanted are not surely farther.
        not_farther = _count_up_to(squares[place] + doubt, squares, count)
        # Always written, to avoid a branch that cannot be predicted.
        near[kept] = near[place]
        kept += np.uint64(not_farther <= np.uint64(wanted))
    return wanted if kept == np.uint64(wanted) else -1


@called
def _nearest_in_64_bits(x, y, z, wanted, radius, spot, records, members, near, squares):
    """Find the nearest nodes within the radius; of equally near ones the first."""
    # Rounded or not, a distance less than the radius has a square not above this.
    limit = radius * radius
    found = np.uint64(0)
    for place in range(spot.member_count):
        node = np.uint64(members[spot.first_member + place])
        record = np.uint64(RECORD) * node
        away_x = records[record] - x
        away_y = records[record + np.uint64(1)] - y
        away_z = records[record + np.uint64(2)] - z
        square = (away_x * away_x + away_y * away_y) + away_z * away_z
        near[found] = np.uint32(place)
        squares[found] = square
        found += np.uint64(square <= limit)
    if np.int64(found) <= wanted:
        return np.int64(found)
    return _leave_nearest(np.int64(found), wanted, near, squares)


@inlined
def _leave_nearest(found, wanted, near, squares):
    """Put the nearest nodes to the front, however many there are."""
    farthest = _farthest(wanted, near, squares)
    for place in range(wanted, found):
        if _is_farther(farthest, place, near, squares):
            near[farthest] = near[place]
            squares[farthest] = squares[place]
            farthest = _farthest(wanted, near, squares)
    return wanted


@inlined
def _farthest(count, near, squares):
    farthest = 0
    for place in range(1, count):
        if _is_farther(place, farthest, near, squares):
            farthest = place
    return farthest


@inlined
def _is_farther(place, other, near, squares):
    if squares[place] == squares[other]:
        return near[place] > near[other]
    return squares[place] > squares[other]


@inlined
def is_out_of_reach(x, y, z, box):
    return (
        x - box.highest_x > box.radius
        or y - box.highest_y > box.radius
        or z - box.highest_z > box.radius
        or box.lowest_x - x > box.radius
        or box.lowest_y - y > box.radius
        or box.lowest_z - z > box.radius
    )
