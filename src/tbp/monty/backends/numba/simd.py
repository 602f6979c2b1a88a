# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Several numbers at a time: vectors of numbers, one in each lane of a register."""

from __future__ import annotations

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import (
    intrinsic,
    lower_builtin,
    models,
    register_model,
    type_callable,
)
from numba.np.arrayobj import make_array

from tbp.monty.backends.numba.compiling import inlined
from tbp.monty.backends.tables.places import SIMD_WIDTH

__all__ = [
    "absolute_values",
    "columns_of",
    "count_bits",
    "eight_at",
    "eight_times",
    "entries_of",
    "floors",
    "fma_of_four",
    "four_at",
    "four_from",
    "four_times",
    "highest_of",
    "lowest_bit",
    "number_in",
    "put",
    "square_roots",
    "total_of",
    "where_above",
    "where_at_least",
    "which_up_to",
]


class _Lanes(types.Type):
    """Numbers that a processor computes with at once, one in each lane.

    LLVM compiles it to the vector instructions that a processor has. It would not
    vectorize the loops here by itself: they are short, and compute maxima.
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
    """Let an operator compute lane by lane."""

    # Not with numba's `overload`, which compiles a function for each pair of types.
    @type_callable(operation)
    def resolve(context):  # noqa: ARG001
        return lambda a, b: next((k for k in (a, b) if isinstance(k, _Lanes)), None)

    def generate(context, builder, signature, values):
        def compute(builder, a, b):
            return getattr(builder, instruction)(a, b)

        return _lane_by_lane(compute, *signature.args)[1](
            context, builder, signature, values
        )

    for kinds in (
        (_Lanes, _Lanes),
        (_Lanes, types.Number),
        (types.Number, _Lanes),
    ):
        lower_builtin(operation, *kinds)(generate)


_overload(operator.add, "fadd")
_overload(operator.sub, "fsub")
_overload(operator.mul, "fmul")
_overload(operator.truediv, "fdiv")


def _call(builder, name, *values):
    kind = ir.FunctionType(values[0].type, [value.type for value in values])
    llvm = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v4f64")
    return builder.call(llvm, values)


def _make_function(name):
    """Return a function of LLVM's, for each of four numbers."""

    @intrinsic
    def function(typing_context, four):  # noqa: ARG001
        def compute(builder, four):
            return _call(builder, name, four)

        return _lane_by_lane(compute, four)

    return function


square_roots = _make_function("sqrt")
absolute_values = _make_function("fabs")
floors = _make_function("floor")


@intrinsic
def fma_of_four(typing_context, a, b, c):  # noqa: ARG001
    """Return a * b + c, rounded once, for each of four numbers."""

    def compute(builder, a, b, c):
        return _call(builder, "fma", a, b, c)

    return _lane_by_lane(compute, a, b, c)


def _make_choice(comparison):
    """Return a function that takes `yes` where two numbers compare so, else `no`."""

    @intrinsic
    def choose(typing_context, a, b, yes, no):  # noqa: ARG001
        def compute(builder, a, b, yes, no):
            return builder.select(builder.fcmp_ordered(comparison, a, b), yes, no)

        return _lane_by_lane(compute, a, b, yes, no)

    return choose


where_above = _make_choice(">")
where_at_least = _make_choice(">=")


def _make_repetition(lanes):
    """Return a function that puts a number into all lanes."""

    @intrinsic
    def repeat(typing_context, number):  # noqa: ARG001
        def generate(context, builder, signature, values):
            return _spread(context, builder, values[0], signature.args[0], lanes)

        return lanes(number), generate

    return repeat


four_times = _make_repetition(_FOUR)
eight_times = _make_repetition(_EIGHT)


@intrinsic
def number_in(typing_context, lanes, index):  # noqa: ARG001
    """Return the number in one of the lanes."""

    def generate(context, builder, signature, values):  # noqa: ARG001
        return builder.extract_element(*values)

    return lanes.number(lanes, index), generate


@inlined
def highest_of(four):
    return max(
        number_in(four, 0), number_in(four, 1), number_in(four, 2), number_in(four, 3)
    )


@inlined
def total_of(four):
    return (number_in(four, 0) + number_in(four, 1)) + (
        number_in(four, 2) + number_in(four, 3)
    )


def _address(context, builder, kind, array, index, vector):
    """Return where in an array what fills a vector starts."""
    data = make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())


def _make_reading(lanes):
    """Return a function that reads lanes from an array, from an index on."""

    @intrinsic
    def read(typing_context, numbers, index):  # noqa: ARG001
        def generate(context, builder, signature, values):
            vector = context.get_value_type(lanes)
            array, at = values
            kind = signature.args[0]
            address = _address(context, builder, kind, array, at, vector)
            return builder.load(address, align=lanes.number.bitwidth // 8)

        return lanes(numbers, index), generate

    return read


four_at = _make_reading(_FOUR)
eight_at = _make_reading(_EIGHT)


@intrinsic
def put(typing_context, numbers, index, lanes):  # noqa: ARG001
    """Write lanes to an array, one after the other."""

    def generate(context, builder, signature, values):
        array, index, vector = values
        kind = signature.args[0]
        address = _address(context, builder, kind, array, index, vector.type)
        builder.store(vector, address, align=lanes.number.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(numbers, index, lanes), generate


@intrinsic
def which_up_to(typing_context, eight, limit):  # noqa: ARG001
    """Return a bit for each lane: whether it is within the limit."""

    def generate(context, builder, signature, values):
        limit = _spread(context, builder, values[1], signature.args[1], _EIGHT)
        are_within = builder.fcmp_ordered("<=", values[0], limit)
        bits = builder.bitcast(are_within, ir.IntType(SIMD_WIDTH))
        return builder.zext(bits, ir.IntType(64))

    return types.uint64(eight, limit), generate


@intrinsic
def count_bits(typing_context, bits):  # noqa: ARG001
    def generate(context, builder, signature, values):  # noqa: ARG001
        return builder.ctpop(values[0])

    return types.uint64(types.uint64), generate


@intrinsic
def lowest_bit(typing_context, bits):  # noqa: ARG001
    """Return the place of the lowest bit that is set."""

    def generate(context, builder, signature, values):  # noqa: ARG001
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


@intrinsic
def entries_of(typing_context, numbers, indices):  # noqa: ARG001
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
def columns_of(typing_context, records, size, column, nodes):  # noqa: ARG001
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
def four_from(row, last):
    """Return four rows, the last one again where there are no more."""
    return (
        np.uint64(row),
        np.uint64(min(row + 1, last)),
        np.uint64(min(row + 2, last)),
        np.uint64(min(row + 3, last)),
    )
