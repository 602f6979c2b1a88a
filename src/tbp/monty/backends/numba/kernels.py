# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""All compiled code."""

from __future__ import annotations

import operator
from typing import NamedTuple, Tuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model
from numba.np.arrayobj import make_array

from tbp.monty.backends.numba.compiling import (
    allocating,
    called,
    inlined,
    launched,
)
from tbp.monty.backends.numpy.evidence import BEST_MATCH, NO_MATCH
from tbp.monty.backends.numpy.features import CATEGORICAL, CIRCULAR
from tbp.monty.backends.numpy.numbers import LARGEST
from tbp.monty.backends.tables.cells import SIMD_WIDTH
from tbp.monty.backends.tables.graphs import RECORD

__all__ = ["append", "delete", "record", "score_nodes", "update"]

# --- Rounding -------------------------------------------------------------------------


@intrinsic
def _fma(typing_context, a, b, c):  # noqa: ARG001
    signature = types.float64(types.float64, types.float64, types.float64)

    def generate(context, builder, signature, arguments):  # noqa: ARG001
        return builder.fma(*arguments)

    return signature, generate


@inlined
def _sum_as_numpy_does(terms):
    """Add up terms, which are overwritten."""
    count = len(terms)
    if count < 8:
        total = terms[0]
        for i in range(1, count):
            total = total + terms[i]
        return total
    whole = count - count % 8
    for i in range(8, whole):
        terms[i % 8] = terms[i % 8] + terms[i]
    total = ((terms[0] + terms[1]) + (terms[2] + terms[3])) + (
        (terms[4] + terms[5]) + (terms[6] + terms[7])
    )
    for i in range(whole, count):
        total = total + terms[i]
    return total


# --- Several numbers at a time --------------------------------------------------------


class _Lanes(types.Type):
    """Numbers that a processor computes with at once, one in each lane.

    LLVM makes of it what instructions a processor has. Of the loops here it would not
    by itself: they are short, and take maxima.
    """

    def __init__(self, number, count):
        self.number = number
        self.count = count
        super().__init__(name=f"Lanes({number}, {count})")


_FOUR = _Lanes(types.float64, 4)
_EIGHT = _Lanes(types.float32, SIMD_WIDTH)


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, lanes):
        number = manager.lookup(lanes.number).get_value_type()
        super().__init__(manager, lanes, ir.VectorType(number, lanes.count))


def _shuffled(builder, a, b, order):
    order = ir.Constant(ir.VectorType(ir.IntType(32), len(order)), order)
    return builder.shuffle_vector(a, b, order)


def _spread(context, builder, value, kind, lanes):
    """Return a number in each lane; what is in lanes as it is."""
    if kind == lanes:
        return value
    number = context.cast(builder, value, kind, lanes.number)
    undefined = ir.Constant(context.get_value_type(lanes), ir.Undefined)
    first = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
    return _shuffled(builder, first, undefined, [0] * lanes.count)


def _lane_by_lane(compute, *kinds):
    """Return type and code of a function of lanes; some of them may be numbers."""
    lanes = next(kind for kind in kinds if isinstance(kind, _Lanes))

    def generate(context, builder, signature, values):  # noqa: ARG001
        return compute(
            builder,
            *[
                _spread(context, builder, value, kind, lanes)
                for value, kind in zip(values, kinds, strict=True)
            ],
        )

    return lanes(*kinds), generate


def _overload(operation, instruction):
    @intrinsic
    def operate(typing_context, a, b):  # noqa: ARG001
        def compute(builder, a, b):
            return getattr(builder, instruction)(a, b)

        return _lane_by_lane(compute, a, b)

    @overload(operation)
    def choose(a, b):
        if isinstance(a, _Lanes) or isinstance(b, _Lanes):
            return lambda a, b: operate(a, b)  # noqa: PLW0108  numba takes no other
        return None


_overload(operator.add, "fadd")
_overload(operator.sub, "fsub")
_overload(operator.mul, "fmul")
_overload(operator.truediv, "fdiv")


def _call(builder, name, *values):
    kind = ir.FunctionType(values[0].type, [value.type for value in values])
    llvm = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v4f64")
    return builder.call(llvm, values)


def _make_function(name):
    @intrinsic
    def function(typing_context, four):  # noqa: ARG001
        def compute(builder, four):
            return _call(builder, name, four)

        return _lane_by_lane(compute, four)

    return function


_roots = _make_function("sqrt")
_sizes = _make_function("fabs")
_floors = _make_function("floor")


@intrinsic
def _fma_of_four(typing_context, a, b, c):  # noqa: ARG001
    def compute(builder, a, b, c):
        return _call(builder, "fma", a, b, c)

    return _lane_by_lane(compute, a, b, c)


def _make_choice(comparison):
    @intrinsic
    def choose(typing_context, a, b, yes, no):  # noqa: ARG001
        def compute(builder, a, b, yes, no):
            return builder.select(builder.fcmp_ordered(comparison, a, b), yes, no)

        return _lane_by_lane(compute, a, b, yes, no)

    return choose


_where_above = _make_choice(">")
_where_at_least = _make_choice(">=")


def _make_repetition(lanes):
    @intrinsic
    def repeat(typing_context, number):  # noqa: ARG001
        def generate(context, builder, signature, values):
            return _spread(context, builder, values[0], signature.args[0], lanes)

        return lanes(number), generate

    return repeat


_four_times = _make_repetition(_FOUR)
_eight_times = _make_repetition(_EIGHT)


@intrinsic
def _lane(typing_context, lanes, index):  # noqa: ARG001
    def generate(context, builder, signature, values):  # noqa: ARG001
        return builder.extract_element(*values)

    return lanes.number(lanes, index), generate


@inlined
def _highest(four):
    return max(_lane(four, 0), _lane(four, 1), _lane(four, 2), _lane(four, 3))


@inlined
def _total(four):
    return (_lane(four, 0) + _lane(four, 1)) + (_lane(four, 2) + _lane(four, 3))


def _address(context, builder, kind, array, index, vector):
    """Return where in an array what fills a vector starts."""
    data = make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())


def _make_reading(lanes):
    @intrinsic
    def read(typing_context, numbers, index):  # noqa: ARG001
        def generate(context, builder, signature, values):
            vector = context.get_value_type(lanes)
            address = _address(context, builder, signature.args[0], *values, vector)
            return builder.load(address, align=lanes.number.bitwidth // 8)

        return lanes(numbers, index), generate

    return read


_four_at = _make_reading(_FOUR)
_eight_at = _make_reading(_EIGHT)


@intrinsic
def _put(typing_context, numbers, index, lanes):  # noqa: ARG001
    """Write lanes to an array, one after the other."""

    def generate(context, builder, signature, values):
        array, index, vector = values
        kind = signature.args[0]
        address = _address(context, builder, kind, array, index, vector.type)
        builder.store(vector, address, align=lanes.number.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(numbers, index, lanes), generate


@intrinsic
def _which_up_to(typing_context, eight, limit):  # noqa: ARG001
    """Return a bit for each lane: whether it is within the limit."""

    def generate(context, builder, signature, values):
        limit = _spread(context, builder, values[1], signature.args[1], _EIGHT)
        are_within = builder.fcmp_ordered("<=", values[0], limit)
        bits = builder.bitcast(are_within, ir.IntType(SIMD_WIDTH))
        return builder.zext(bits, ir.IntType(64))

    return types.uint64(eight, limit), generate


@intrinsic
def _count_bits(typing_context, bits):  # noqa: ARG001
    def generate(context, builder, signature, values):  # noqa: ARG001
        return builder.ctpop(values[0])

    return types.uint64(types.uint64), generate


@intrinsic
def _lowest_bit(typing_context, bits):  # noqa: ARG001
    def generate(context, builder, signature, values):  # noqa: ARG001
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


@intrinsic
def _entries(typing_context, numbers, indices):  # noqa: ARG001
    """Return four entries of an array."""

    def generate(context, builder, signature, values):
        data = make_array(signature.args[0])(context, builder, values[0]).data
        four = ir.Constant(context.get_value_type(_FOUR), ir.Undefined)
        for lane, index in enumerate(cgutils.unpack_tuple(builder, values[1])):
            entry = builder.load(builder.gep(data, [index]))
            four = builder.insert_element(
                four, entry, ir.Constant(ir.IntType(32), lane)
            )
        return four

    return _FOUR(numbers, indices), generate


@intrinsic
def _columns(typing_context, records, size, column, nodes):  # noqa: ARG001
    """Return a column of the records of four nodes, and the next column."""

    def generate(context, builder, signature, values):
        array, size, column, nodes = values
        kind = signature.args[0]
        two = ir.VectorType(ir.DoubleType(), 2)
        pairs = []
        for node in cgutils.unpack_tuple(builder, nodes):
            index = builder.add(builder.mul(node, size), column)
            address = _address(context, builder, kind, array, index, two)
            pairs.append(builder.load(address, align=8))
        a, b, c, d = pairs
        a_and_c = _shuffled(builder, a, c, [0, 1, 2, 3])
        b_and_d = _shuffled(builder, b, d, [0, 1, 2, 3])
        columns = [
            _shuffled(builder, a_and_c, b_and_d, [0, 4, 2, 6]),
            _shuffled(builder, a_and_c, b_and_d, [1, 5, 3, 7]),
        ]
        return context.make_tuple(builder, signature.return_type, columns)

    return types.UniTuple(_FOUR, 2)(records, size, column, nodes), generate


@inlined
def _four_from(row, last):
    """Return four rows, the last one again where there are no more."""
    return (
        np.uint64(row),
        np.uint64(min(row + 1, last)),
        np.uint64(min(row + 2, last)),
        np.uint64(min(row + 3, last)),
    )


# --- Neighbours -----------------------------------------------------------------------

_GLANCES = 6
"""How often distances are tried that leave few more nodes than are wanted."""

_FEW = 6
"""How many nodes more than are wanted are soon sorted out by comparing all."""

_ROUGH_SQUARE = 2.0**-19
"""How far a rough square may be off, as a part of radius times largest coordinate.

Coordinates, their differences, products and sums are each off by 2**-24 of themselves
at most; together that is less than half of this.
"""


class _Box(NamedTuple):
    """Where the nodes of one graph are. Numbers only, to be at hand in a loop."""

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
    cells_x: int
    cells_y: int
    cells_z: int
    first_cell: int
    first_member: int
    first_place: int
    farthest: float


@called
def _box_of(graph, graphs):
    return _Box(
        graphs.radii[graph],
        graphs.lowest[graph, 0],
        graphs.lowest[graph, 1],
        graphs.lowest[graph, 2],
        graphs.highest[graph, 0],
        graphs.highest[graph, 1],
        graphs.highest[graph, 2],
        graphs.grid_origins[graph, 0],
        graphs.grid_origins[graph, 1],
        graphs.grid_origins[graph, 2],
        graphs.cells_per_unit[graph],
        1.0 / graphs.cells_per_unit[graph],
        graphs.grid_shapes[graph, 0],
        graphs.grid_shapes[graph, 1],
        graphs.grid_shapes[graph, 2],
        graphs.cell_offsets[graph],
        graphs.member_offsets[graph],
        graphs.place_offsets[graph],
        graphs.farthest[graph],
    )


class _Sought(NamedTuple):
    """What four hypotheses expect, and where.

    Attributes:
        normals: Surface normals, shape (3, 4).
        directions: Curvature directions, shape (3, 4).
        unusable: How many of these numbers are unusable, shape (4,).
        spots: What `_Spot` has of coordinates, before rounding, and the cell, shape
            (4, 4).
        lists: What else it has but for the reach, for one after the other, shape
            (4, 4).
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
def _find_spots(x, y, z, box, cell_starts, place_starts, sought):
    """Find the spots of four places, see `_spot_of`.

    Four at a time, as what is looked up is waited for.

    Args:
        x: Where they are.
        y: Where they are.
        z: Where they are.
        box: Where the nodes are.
        cell_starts: See `GraphArrays`.
        place_starts: See `GraphArrays`.
        sought: Receives the spots.
    """
    x = x - box.origin_x
    y = y - box.origin_y
    z = z - box.origin_z
    cell_x = _cells(x * box.cells_per_unit, box.cells_x)
    cell_y = _cells(y * box.cells_per_unit, box.cells_y)
    cell_z = _cells(z * box.cells_per_unit, box.cells_z)
    _put(sought.spots[0], 0, x - (cell_x + 0.5) * box.cell_length)
    _put(sought.spots[1], 0, y - (cell_y + 0.5) * box.cell_length)
    _put(sought.spots[2], 0, z - (cell_z + 0.5) * box.cell_length)
    cells = (cell_x * box.cells_y + cell_y) * box.cells_z + cell_z
    _put(sought.spots[3], 0, cells)
    for lane in range(np.uint64(4)):
        # Unsigned, as signed indices would all be checked for being negative.
        cell = np.uint64(box.first_cell + np.int64(sought.spots[3, lane]))
        after = cell + np.uint64(1)
        first, stop = np.uint64(cell_starts[cell]), np.uint64(cell_starts[after])
        sought.lists[lane, 0] = np.uint64(box.first_member) + first
        sought.lists[lane, 1] = stop - first
        first, stop = np.uint64(place_starts[cell]), np.uint64(place_starts[after])
        sought.lists[lane, 2] = np.uint64(box.first_place) + np.uint64(3) * first
        sought.lists[lane, 3] = stop - first


@inlined
def _cells(at, cells):
    """Return the cell of four places along an axis, not yet as an integer.

    Clipped before it becomes one, which a far location would overflow.
    """
    at = _floors(at)
    at = _where_above(0.0, at, 0.0, at)
    return _where_above(at, cells - 1.0, cells - 1.0, at)


@inlined
def _spot_of(lane, box, sought):
    x, y, z = sought.spots[0, lane], sought.spots[1, lane], sought.spots[2, lane]
    return _Spot(
        np.float32(x),
        np.float32(y),
        np.float32(z),
        sought.lists[lane, 0],
        sought.lists[lane, 1],
        sought.lists[lane, 2],
        sought.lists[lane, 3],
        box.farthest + max(abs(x), abs(y), abs(z)),
    )


@inlined
def _nearest_nodes(
    x,
    y,
    z,
    wanted,
    box,
    spot,
    locations,
    members,
    places,
    near,
    squares,
    rough_squares,
):
    """Find the nearest nodes within the radius; of equally near ones the first.

    Nodes beyond the radius may be among them, where there are less than are wanted.

    Args:
        x: Where to search.
        y: Where to search.
        z: Where to search.
        wanted: How many nodes to find at most.
        box: Where the nodes are.
        spot: Where to search, once more.
        locations: The locations of the graph's nodes.
        members: See `GraphArrays`.
        places: See `GraphArrays`.
        near: Receives the nodes, by their number among those in reach; has room for all
            of the graph, and for some lanes.
        squares: Room for the squares of their distances, likewise.
        rough_squares: Room for the same, rounded, likewise.

    Returns:
        How many were found.
    """
    found = _nearest_at_a_glance(
        wanted, box.radius, spot, places[spot.first_place :], near, rough_squares
    )
    if found < 0:
        return _nearest_at_a_closer_look(
            x, y, z, wanted, box.radius, spot, locations, members, near, squares
        )
    return found


@inlined
def _nearest_at_a_glance(wanted, radius, spot, places, near, squares):
    """Find the nearest nodes by rounded distances, if these leave no doubt.

    Nodes beyond the radius may be among them, where there are less than are wanted.

    Args:
        wanted: How many nodes to find at most.
        radius: How far away a node may be.
        spot: Where to search.
        places: Where the nodes in reach are.
        near: Receives the nodes, by their number among those in reach.
        squares: Receives the rounded squares of all distances.

    Returns:
        How many were found; -1 if that needs a closer look.
    """
    square = radius * radius
    margin = _ROUGH_SQUARE * radius * spot.reach
    # What is very large or very small has no square in 32 bits.
    if not (margin < 1e-3 * square and square > 1e-24 and spot.reach < 1e12):
        return -1
    count = spot.place_count
    limit = np.float32(square + margin)
    found = np.uint64(0)
    for place in range(np.uint64(0), count, np.uint64(SIMD_WIDTH)):
        away_x = _eight_at(places, place) - spot.x
        away_y = _eight_at(places, count + place) - spot.y
        away_z = _eight_at(places, count + count + place) - spot.z
        eight = (away_x * away_x + away_y * away_y) + away_z * away_z
        _put(squares, place, eight)
        found += _count_bits(_which_up_to(eight, limit))
    # All of these are compared with each other, in whole lanes.
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
        _put(squares, place, _eight_times(np.float32(np.inf)))
    return _leave_those_surely_nearest(
        wanted, most, np.float32(2.0 * margin), near, squares
    )


@inlined
def _count_up_to(limit, squares, count):
    total = np.uint64(0)
    for place in range(np.uint64(0), count, np.uint64(SIMD_WIDTH)):
        total += _count_bits(_which_up_to(_eight_at(squares, place), limit))
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
    for glance in range(_GLANCES):
        # On a surface the number of nodes grows with the square of the distance.
        part = (aim - np.float32(below)) / np.float32(above - below)
        if glance > 2:
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
            eight = _which_up_to(_eight_at(squares, place), limit)
            bits |= eight << (place - first)
        while bits:
            place = first + _lowest_bit(bits)
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
        rivals = _count_up_to(squares[place] + doubt, squares, count)
        # Always written, and kept or not: what cannot be foreseen is no branch.
        near[kept] = near[place]
        kept += np.uint64(rivals <= np.uint64(wanted))
    return wanted if kept == np.uint64(wanted) else -1


@called
def _nearest_at_a_closer_look(
    x, y, z, wanted, radius, spot, locations, members, near, squares
):
    """Find the nearest nodes within the radius; of equally near ones the first."""
    # Rounded or not, a distance less than the radius has a square not above this.
    limit = radius * radius
    found = np.uint64(0)
    for place in range(spot.member_count):
        node = np.uint64(members[spot.first_member + place])
        away_x = locations[node, 0] - x
        away_y = locations[node, 1] - y
        away_z = locations[node, 2] - z
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
def _is_out_of_reach(x, y, z, box):
    return (
        x - box.highest_x > box.radius
        or y - box.highest_y > box.radius
        or z - box.highest_z > box.radius
        or box.lowest_x - x > box.radius
        or box.lowest_y - y > box.radius
        or box.lowest_z - z > box.radius
    )


# --- The update of evidence -----------------------------------------------------------


class _Sense(NamedTuple):
    """What one input channel senses. Numbers only, to be at hand in a loop."""

    normal: Tuple[float, float, float]
    direction: Tuple[float, float, float]
    direction_known: bool
    plane_factor: float
    normal_weight: float
    direction_weight: float


@launched
def update(
    fused, blocks, row_starts, work, graphs, scores, hypotheses, gains, found, results
):
    """Update all hypotheses, unless the numbers of one are unusable.

    Args:
        fused: How rotations are rounded.
        blocks: Stretches of hypotheses, in order.
        row_starts: Where the rows of each segment start.
        work: What is to be computed.
        graphs: The graphs.
        scores: The evidence of the nodes' features.
        hypotheses: The hypotheses.
        gains: Room for what each hypothesis gains on this step.
        found: Room for what each block finds out.
        results: Receives what is read next.

    Returns:
        The first block with unusable numbers, or -1.
    """
    # First only what this step adds, so that an error leaves everything as it was.
    for block in numba.prange(len(blocks.owners)):
        _find_gains(
            fused,
            np.int64(block),
            blocks,
            work,
            graphs,
            scores,
            hypotheses,
            gains,
            found,
        )

    for block in range(len(blocks.owners)):
        if found.unusable[block] >= 0:
            return block
    untested_gains = _combine(blocks, work, gains, found, results)

    for block in numba.prange(len(blocks.owners)):
        _apply(
            fused,
            np.int64(block),
            blocks,
            work,
            hypotheses,
            gains,
            untested_gains,
            found,
            results,
        )

    for block in range(len(blocks.owners)):
        segment = blocks.owners[block]
        if found.highest[block] > results.highest[segment]:
            results.highest[segment] = found.highest[block]
            results.most_likely[segment] = (
                found.highest_row[block] - row_starts[segment]
            )
    return -1


@allocating
def _find_gains(fused, block, blocks, work, graphs, scores, hypotheses, gains, found):
    """Compute what the hypotheses of a block gain on this step.

    Args:
        fused: How rotations are rounded.
        block: Which block.
        blocks: The blocks.
        work: What is to be computed.
        graphs: The graphs.
        scores: The evidence of the nodes' features.
        hypotheses: The hypotheses.
        gains: Receives the gains of tested hypotheses.
        found: Receives what is found out.
    """
    segment = blocks.owners[block]
    start = blocks.starts[block]
    count = blocks.stops[block] - start
    # Taken out of their tuples once: in a loop that would cost more than the rest.
    evidence = hypotheses.evidence
    locations = hypotheses.locations.reshape(-1)
    poses = hypotheses.poses.reshape(-1)
    threshold = work.thresholds[segment]
    block_gains = gains[blocks.offsets[block] : blocks.offsets[block] + count]
    block_gains[:] = 0.0
    move = _move(segment, work)
    is_tested = np.zeros(count + 3, np.bool_)
    places = np.empty((3, count + 3))
    most_nodes = 0
    for match in range(work.match_starts[segment], work.match_starts[segment + 1]):
        graph = work.match_graphs[match]
        node_count = graphs.node_starts[graph + 1] - graphs.node_starts[graph]
        most_nodes = max(most_nodes, node_count)
    # Lanes are written whole, also those after the last that is needed.
    most_nodes += 3 * SIMD_WIDTH
    scratch = _Scratch(
        np.empty(most_nodes, np.uint32),
        np.empty(most_nodes, np.float64),
        np.empty(most_nodes, np.float32),
    )
    sought = _Sought(
        np.empty((3, 4)),
        np.empty((3, 4)),
        np.empty(4),
        np.empty((4, 4)),
        np.empty((4, 4), np.uint64),
    )
    unusable, tested, highest, highest_row = -1, 0, -np.inf, -1
    unusable_numbers = _four_times(0.0)
    for i in range(0, count, 4):
        rows = _four_from(start + i, start + count - 1)
        x, y, z = _moved(fused, locations, poses, rows, move)
        _put(places[0], i, x)
        _put(places[1], i, y)
        _put(places[2], i, z)
        unusable_numbers = unusable_numbers + _count_unusable(x, y, z)
    are_usable = _total(unusable_numbers) == 0.0
    for i in range(count):
        row = start + i
        if evidence[row] > highest:
            highest, highest_row = evidence[row], row
        is_tested[i] = evidence[row] >= threshold
        tested += is_tested[i]
        if unusable < 0 and not (
            abs(evidence[row]) <= LARGEST
            and (are_usable or _usable(places[0, i], places[1, i], places[2, i]))
        ):
            unusable = row

    first_match = work.match_starts[segment]
    for match in range(first_match, work.match_starts[segment + 1]):
        if unusable >= 0:
            break
        found.least[block, match - first_match], unusable = _add_channel(
            fused,
            match,
            start,
            is_tested,
            places,
            poses,
            work,
            graphs,
            scores,
            block_gains,
            scratch,
            sought,
        )
    found.unusable[block] = unusable
    found.tested[block] = tested
    found.highest[block] = highest
    found.highest_row[block] = highest_row


class _Scratch(NamedTuple):
    """Room to work in, one hypothesis after the other.

    Attributes:
        near: The nearest nodes.
        squares: Squares of distances.
        rough_squares: The same, rounded.
    """

    near: np.ndarray
    squares: np.ndarray
    rough_squares: np.ndarray


@called
def _add_channel(
    fused,
    match,
    start,
    is_tested,
    places,
    poses,
    work,
    graphs,
    scores,
    gains,
    scratch,
    sought,
):
    """Add this step's evidence from one input channel.

    Args:
        fused: How rotations are rounded.
        match: Which input channel of which graph.
        start: The first hypothesis.
        is_tested: For each hypothesis from there on, whether it is tested.
        places: Where they are, shape (3, hypotheses).
        poses: The rotations of all hypotheses, one number after the other.
        work: What is to be computed.
        graphs: The graphs.
        scores: The evidence of the nodes' features.
        gains: Receives the evidence.
        scratch: Room to work in.
        sought: Room to work in.

    Returns:
        The least evidence, and the first hypothesis with unusable numbers or -1.
    """
    query = work.match_queries[match]
    graph = work.match_graphs[match]
    box = _box_of(graph, graphs)
    sense = _sense_of(query, work)
    nodes = slice(graphs.node_starts[graph], graphs.node_starts[graph + 1])
    node_locations = graphs.locations[nodes]
    records = graphs.records[nodes].reshape(-1)
    node_count = len(node_locations)
    wanted = min(work.neighbors[query], node_count)
    has_scores = work.score_starts[match] >= 0
    node_scores = scores[max(work.score_starts[match], 0) :]
    cell_starts = graphs.cell_starts
    place_starts = graphs.place_starts
    members = graphs.members
    all_places = graphs.places
    near = scratch.near
    squares = scratch.squares
    rough_squares = scratch.rough_squares

    least, unusable = np.inf, -1
    for first in range(0, len(gains), 4):
        if not (
            is_tested[first]
            or is_tested[first + 1]
            or is_tested[first + 2]
            or is_tested[first + 3]
        ):
            continue
        rows = _four_from(start + first, start + len(gains) - 1)
        _expect(fused, poses, rows, sense, sought)
        _find_spots(
            _four_at(places[0], first),
            _four_at(places[1], first),
            _four_at(places[2], first),
            box,
            cell_starts,
            place_starts,
            sought,
        )
        for lane in range(np.uint64(4)):
            i = np.uint64(first) + lane
            if not is_tested[i]:
                continue
            x, y, z = places[0, i], places[1, i], places[2, i]
            normals, directions = sought.normals, sought.directions
            normal = (normals[0, lane], normals[1, lane], normals[2, lane])
            direction = (directions[0, lane], directions[1, lane], directions[2, lane])
            spot = _spot_of(lane, box, sought)
            found = 0
            if not _is_out_of_reach(x, y, z, box):
                found = _nearest_nodes(
                    x,
                    y,
                    z,
                    wanted,
                    box,
                    spot,
                    node_locations,
                    members,
                    all_places,
                    near,
                    squares,
                    rough_squares,
                )
            # Those that are not there are beyond the radius.
            is_missing = found < wanted or node_count == 0
            best = _four_times(NO_MATCH if is_missing else -np.inf)
            missing = _four_times(0.0)
            # The last four are filled up: a node that comes twice changes no maximum.
            for place in range(found, found + 3):
                near[np.uint64(place)] = near[0]
            for place in range(np.uint64(0), np.uint64(found), np.uint64(4)):
                evidence = _evidence_of_four(
                    _nodes_of(members, spot.first_member, near, place),
                    records,
                    x,
                    y,
                    z,
                    box.radius,
                    normal,
                    direction,
                    sense,
                    has_scores,
                    node_scores,
                )
                best = _where_above(evidence, best, evidence, best)
                # Zero, unless a number is NaN; a maximum may not show that.
                missing = missing + evidence * 0.0
            new = _highest(best) + _total(missing)
            if unusable < 0 and not (
                sought.unusable[lane] == 0.0 and abs(new) <= LARGEST
            ):
                unusable = start + np.int64(i)
            least = min(least, new)
            gains[i] = gains[i] + new
    return least, unusable


@inlined
def _expect(fused, poses, rows, sense, sought):
    """Note what the hypotheses of four rows expect to sense."""
    rotations = _poses_of(poses, rows)
    x, y, z = _rotated(fused, rotations, sense.normal)
    _put(sought.normals[0], 0, x)
    _put(sought.normals[1], 0, y)
    _put(sought.normals[2], 0, z)
    unusable = _count_unusable(x, y, z)
    x, y, z = _rotated(fused, rotations, sense.direction)
    _put(sought.directions[0], 0, x)
    _put(sought.directions[1], 0, y)
    _put(sought.directions[2], 0, z)
    _put(sought.unusable, 0, unusable + _count_unusable(x, y, z))


@inlined
def _nodes_of(members, first, near, place):
    return (
        np.uint64(members[first + np.uint64(near[place])]),
        np.uint64(members[first + np.uint64(near[place + np.uint64(1)])]),
        np.uint64(members[first + np.uint64(near[place + np.uint64(2)])]),
        np.uint64(members[first + np.uint64(near[place + np.uint64(3)])]),
    )


@inlined
def _evidence_of_four(
    nodes, records, x, y, z, radius, normal, direction, sense, has_scores, scores
):
    """Return the evidence that each of four nodes gives.

    Args:
        nodes: Which nodes.
        records: See `GraphArrays`, of the graph's nodes, one after the other.
        x: Where the hypothesis is.
        y: Where the hypothesis is.
        z: Where the hypothesis is.
        radius: How far away a node may be to match.
        normal: The surface normal that the hypothesis expects.
        direction: The curvature direction that it expects.
        sense: What is sensed.
        has_scores: Whether features are sensed.
        scores: The evidence of the features of each node.
    """
    node_x, node_y = _columns(records, RECORD, 0, nodes)
    node_z, normal_x = _columns(records, RECORD, 2, nodes)
    normal_y, normal_z = _columns(records, RECORD, 4, nodes)
    cosine = _cosine(normal_x, normal_y, normal_z, normal)
    evidence = (0.5 - _roots((1.0 - cosine) * 0.5)) * sense.normal_weight
    if sense.direction_known:
        direction_x, direction_y = _columns(records, RECORD, 6, nodes)
        direction_z, is_known = _columns(records, RECORD, 8, nodes)
        cosine = _cosine(direction_x, direction_y, direction_z, direction)
        part = 0.5 - _roots((1.0 - cosine) * (1.0 + cosine))
        part = part * is_known
        evidence = evidence + part * sense.direction_weight
    if has_scores:
        evidence = evidence + _entries(scores, nodes)
    away_x = node_x - x
    away_y = node_y - y
    away_z = node_z - z
    square = (away_x * away_x + away_y * away_y) + away_z * away_z
    off_plane = (away_x * normal[0] + away_y * normal[1]) + away_z * normal[2]
    distance = _roots(square) + _sizes(off_plane) * sense.plane_factor
    return _where_at_least(distance, radius, NO_MATCH, evidence)


@inlined
def _cosine(x, y, z, sensed):
    product = (x * sensed[0] + y * sensed[1]) + z * sensed[2]
    product = _where_above(-1.0, product, -1.0, product)
    return _where_above(product, 1.0, 1.0, product)


@called
def _sense_of(query, work):
    return _Sense(
        (work.sensed[query, 0], work.sensed[query, 1], work.sensed[query, 2]),
        (work.sensed[query, 3], work.sensed[query, 4], work.sensed[query, 5]),
        work.direction_known[query],
        1.0 / (abs(work.curvatures[query]) + 0.5),
        work.pose_weights[query, 0],
        work.pose_weights[query, 1],
    )


@allocating
def _combine(blocks, work, gains, found, results):
    """Combine what blocks have found out, for each segment.

    Args:
        blocks: The blocks.
        work: What is to be computed.
        gains: The gains of tested hypotheses.
        found: What blocks have found out.
        results: Receives the number of tested hypotheses and the prediction error.

    Returns:
        What hypotheses that are not tested gain, for each segment.
    """
    segment_count = len(results.tested)
    channel_count = found.least.shape[1]
    least = np.full((segment_count, channel_count), np.inf)
    highest = np.full(segment_count, -np.inf)
    highest_gain = np.zeros(segment_count)
    for block in range(len(blocks.owners)):
        segment = blocks.owners[block]
        results.tested[segment] += found.tested[block]
        for channel in range(channel_count):
            least[segment, channel] = min(
                least[segment, channel], found.least[block, channel]
            )
        if found.highest[block] > highest[segment]:
            highest[segment] = found.highest[block]
            highest_gain[segment] = gains[
                found.highest_row[block] - blocks.starts[block] + blocks.offsets[block]
            ]

    untested_gains = np.zeros(segment_count)
    for segment in range(segment_count):
        if results.tested[segment] == 0:
            continue
        channels = work.match_starts[segment + 1] - work.match_starts[segment]
        for channel in range(channels):
            untested_gains[segment] += max(0.0, least[segment, channel])
        gain = untested_gains[segment]
        if highest[segment] >= work.thresholds[segment]:
            gain = highest_gain[segment]
        results.prediction_error[segment] = (BEST_MATCH * channels - gain) / (
            (BEST_MATCH - NO_MATCH) * channels
        )
    return untested_gains


@called
def _apply(
    fused, block, blocks, work, hypotheses, gains, untested_gains, found, results
):
    """Move the hypotheses of a block and give them what they gain.

    Args:
        fused: How rotations are rounded.
        block: Which block.
        blocks: The blocks.
        work: What is to be computed.
        hypotheses: The hypotheses.
        gains: The gains of tested hypotheses.
        untested_gains: What others gain, for each segment.
        found: Receives the highest evidence, and the first hypothesis that has it.
        results: Tells in which segments hypotheses were tested.
    """
    segment = blocks.owners[block]
    to_gain = blocks.offsets[block] - blocks.starts[block]
    all_evidence = hypotheses.evidence
    locations = hypotheses.locations.reshape(-1)
    poses = hypotheses.poses.reshape(-1)
    move = _move(segment, work)
    some_are_tested = results.tested[segment] > 0
    threshold = work.thresholds[segment]
    untested_gain = untested_gains[segment]
    past_weight = work.past_weights[segment]
    present_weight = work.present_weights[segment]
    highest, highest_row = -np.inf, -1
    start, stop = blocks.starts[block], blocks.stops[block]
    for row in range(start, stop, 4):
        rows = _four_from(row, stop - 1)
        # Computed again, as that takes less time than to keep it.
        x, y, z = _moved(fused, locations, poses, rows, move)
        for lane in range(4):
            first = np.uint64(3) * rows[lane]
            locations[first] = _lane(x, lane)
            locations[first + np.uint64(1)] = _lane(y, lane)
            locations[first + np.uint64(2)] = _lane(z, lane)
    for row in range(start, stop):
        evidence = all_evidence[row]
        if some_are_tested:
            gain = gains[row + to_gain] if evidence >= threshold else untested_gain
            evidence = evidence * past_weight + gain * present_weight
            all_evidence[row] = evidence
        if evidence > highest:
            highest, highest_row = evidence, row
    found.highest[block] = highest
    found.highest_row[block] = highest_row


@called
def _move(segment, work):
    return (
        work.is_displaced[segment],
        work.displacements[segment, 0],
        work.displacements[segment, 1],
        work.displacements[segment, 2],
    )


@inlined
def _moved(fused, locations, poses, rows, move):
    """Return where the hypotheses of four rows are after a displacement."""
    x, y = _columns(locations, 3, 0, rows)
    y, z = _columns(locations, 3, 1, rows)
    if not move[0]:
        return x, y, z
    by = _rotated(fused, _poses_of(poses, rows), (move[1], move[2], move[3]))
    return x + by[0], y + by[1], z + by[2]


@inlined
def _poses_of(poses, rows):
    """Return the rotations of four rows, by row of the matrix."""
    xx, xy = _columns(poses, 9, 0, rows)
    xz, yx = _columns(poses, 9, 2, rows)
    yy, yz = _columns(poses, 9, 4, rows)
    zx, zy = _columns(poses, 9, 6, rows)
    zy, zz = _columns(poses, 9, 7, rows)
    return (xx, xy, xz), (yx, yy, yz), (zx, zy, zz)


@inlined
def _rotated(fused, poses, vector):
    return (
        _dot(fused, poses[0], vector),
        _dot(fused, poses[1], vector),
        _dot(fused, poses[2], vector),
    )


@inlined
def _dot(fused, four, vector):
    total = four[0] * vector[0]
    if fused:
        return _fma_of_four(four[2], vector[2], _fma_of_four(four[1], vector[1], total))
    return (total + four[1] * vector[1]) + four[2] * vector[2]


@inlined
def _count_unusable(x, y, z):
    """Return how many of three numbers are unusable, in each lane."""
    return (_is_unusable(x) + _is_unusable(y)) + _is_unusable(z)


@inlined
def _is_unusable(four):
    return _where_at_least(LARGEST, _sizes(four), 0.0, 1.0)


@inlined
def _usable(x, y, z):
    return abs(x) <= LARGEST and abs(y) <= LARGEST and abs(z) <= LARGEST


# --- The evidence of features ---------------------------------------------------------


@launched
def score_nodes(blocks, work, graphs, scores):
    """Compute the evidence of the nodes' features.

    Args:
        blocks: Stretches of nodes, owned by a match.
        work: What is to be computed.
        graphs: The graphs.
        scores: Receives the evidence.
    """
    for block in numba.prange(len(blocks.owners)):
        _score_block(np.int64(block), blocks, work, graphs, scores)


@allocating
def _score_block(block, blocks, work, graphs, scores):
    match = blocks.owners[block]
    graph = work.match_graphs[match]
    query = work.match_queries[match]
    increment = work.increments[query]
    first = work.column_starts[query]
    columns = work.column_starts[query + 1] - first
    values = work.values[first : first + columns]
    tolerances = work.tolerances[first : first + columns]
    weights = work.weights[first : first + columns]
    kinds = work.kinds[first : first + columns]
    features = graphs.features[graphs.feature_starts[graph] :]
    match_scores = scores[work.score_starts[match] :]
    total_weight = _sum_as_numpy_does(weights.copy())
    terms = np.empty(4 * columns)
    stop = blocks.stops[block]
    for node in range(blocks.starts[block], stop, 4):
        a, b, c, d = _four_from(node, stop - 1)
        for column in range(columns):
            places = (
                a * columns + column,
                b * columns + column,
                c * columns + column,
                d * columns + column,
            )
            left = _within_tolerance(
                _entries(features, places),
                values[column],
                tolerances[column],
                kinds[column],
            )
            _put(terms, 4 * column, left * weights[column])
        evidence = (_sum_of_four(terms) / total_weight) * increment
        for lane in range(min(4, stop - node)):
            match_scores[node + lane] = _lane(evidence, lane)


@inlined
def _within_tolerance(stored, sensed, tolerance, kind):
    difference = _sizes(stored - sensed)
    if kind == CIRCULAR:
        # If one of them is NaN, all three are.
        difference = _lower(difference, _sizes((1.0 + stored) - sensed))
        difference = _lower(difference, _sizes(stored - (sensed + 1.0)))
    elif kind == CATEGORICAL:
        is_less = _where_at_least(stored, sensed, 0.0, 1.0)
        difference = _where_at_least(sensed, stored, is_less, 1.0)
    left = tolerance - difference
    return _where_above(0.0, left, 0.0, left) / tolerance


@inlined
def _lower(a, b):
    return _where_above(a, b, b, a)


@inlined
def _sum_of_four(terms):
    """Add up terms as `_sum_as_numpy_does`, four sums at a time."""
    count = len(terms) // 4
    total = _four_at(terms, 0)
    if count < 8:
        for i in range(1, count):
            total = total + _four_at(terms, 4 * i)
        return total
    whole = count - count % 8
    for i in range(8, whole):
        sum_so_far = _four_at(terms, 4 * (i % 8)) + _four_at(terms, 4 * i)
        _put(terms, 4 * (i % 8), sum_so_far)
    total = (
        (_four_at(terms, 0) + _four_at(terms, 4))
        + (_four_at(terms, 8) + _four_at(terms, 12))
    ) + (
        (_four_at(terms, 16) + _four_at(terms, 20))
        + (_four_at(terms, 24) + _four_at(terms, 28))
    )
    for i in range(whole, count):
        total = total + _four_at(terms, 4 * i)
    return total


# --- Evidence over time ---------------------------------------------------------------


@launched
def record(blocks, newest, channels, evidence, window, ages, slopes):
    """Record the evidence of all hypotheses.

    Args:
        blocks: Stretches of hypotheses.
        newest: The slot to write, for each segment.
        channels: How many input channels were behind each slot, for each segment.
        evidence: The evidence of all hypotheses.
        window: Receives it.
        ages: Raised by one.
        slopes: Receives the slopes.
    """
    for block in numba.prange(len(blocks.owners)):
        segment = blocks.owners[block]
        _record_block(
            blocks.starts[block],
            blocks.stops[block],
            newest[segment],
            channels[segment],
            evidence,
            window,
            ages,
            slopes,
        )


@allocating
def _record_block(start, stop, newest, channels, evidence, window, ages, slopes):
    size = window.shape[1]
    changes = np.empty(size - 1)
    for row in range(start, stop):
        window[row, newest] = evidence[row]
        ages[row] += 1
        # Around the ring, from its oldest slot to its newest.
        slot = newest + 1 if newest + 1 < size else 0
        before = window[row, slot]
        known = 0
        for i in range(size - 1):
            slot = slot + 1 if slot + 1 < size else 0
            after = window[row, slot]
            change = (after - before) / channels[slot]
            before = after
            if np.isnan(change):
                changes[i] = 0.0
            else:
                changes[i] = change
                known += 1
        slopes[row] = _sum_as_numpy_does(changes) / known if known else np.nan


# --- Coming and going of hypotheses ---------------------------------------------------


@launched
def delete(
    starts, counts, offsets, least_slopes, min_age, columns, deleted, deleted_counts
):
    """Close the gaps that deleted hypotheses leave.

    Args:
        starts: Where each segment starts.
        counts: How many hypotheses it has.
        offsets: Where in `deleted` it starts.
        least_slopes: From which slope on hypotheses are kept.
        min_age: From which age on they can be deleted.
        columns: The table.
        deleted: Receives the places of deleted hypotheses in their segments.
        deleted_counts: Receives their number.
    """
    for segment in numba.prange(len(starts)):
        deleted_counts[segment] = _delete_in_segment(
            starts[segment],
            counts[segment],
            least_slopes[segment],
            min_age,
            columns,
            deleted[offsets[segment] :],
        )


@called
def _delete_in_segment(start, count, least_slope, min_age, columns, deleted):
    kept = start
    gone = 0
    for row in range(start, start + count):
        if not (columns.slopes[row] >= least_slope or columns.ages[row] < min_age):
            deleted[gone] = row - start
            gone += 1
            continue
        if kept != row:
            _move_row(row, kept, columns)
        kept += 1
    return gone


@inlined
def _move_row(row, to, columns):
    columns.evidence[to] = columns.evidence[row]
    columns.possible[to] = columns.possible[row]
    columns.slopes[to] = columns.slopes[row]
    columns.ages[to] = columns.ages[row]
    for i in range(3):
        columns.locations[to, i] = columns.locations[row, i]
        for j in range(3):
            columns.poses[to, i, j] = columns.poses[row, i, j]
    for slot in range(columns.window.shape[1]):
        columns.window[to, slot] = columns.window[row, slot]


@launched
def append(fused, samples, graphs, hypotheses):
    """Write new hypotheses.

    Args:
        fused: How products are rounded.
        samples: What to write, and where.
        graphs: The graphs.
        hypotheses: The table.
    """
    for sample in numba.prange(len(samples.row_starts)):
        _write_sample(fused, np.int64(sample), samples, graphs, hypotheses)


@called
def _write_sample(fused, sample, samples, graphs, hypotheses):
    row = samples.row_starts[sample]
    first_node = graphs.node_starts[samples.graphs[sample]]
    for pose in range(samples.pose_starts[sample], samples.pose_starts[sample + 1]):
        for place in range(
            samples.node_starts[sample], samples.node_starts[sample + 1]
        ):
            node = first_node + samples.nodes[place]
            hypotheses.evidence[row] = samples.scores[place]
            hypotheses.possible[row] = False
            for i in range(3):
                hypotheses.locations[row, i] = graphs.locations[node, i]
                for j in range(3):
                    hypotheses.poses[row, i, j] = samples.poses[pose, i, j]
                    if samples.is_aligned[sample]:
                        hypotheses.poses[row, i, j] = _product(
                            fused, graphs.frames, node, i, samples.poses, pose, j
                        )
            row += 1


@inlined
def _product(fused, frames, node, i, poses, pose, j):
    first = frames[node, 0, i] * poses[pose, 0, j]
    if fused:
        second = _fma(frames[node, 1, i], poses[pose, 1, j], first)
        return _fma(frames[node, 2, i], poses[pose, 2, j], second)
    second = first + frames[node, 1, i] * poses[pose, 1, j]
    return second + frames[node, 2, i] * poses[pose, 2, j]
