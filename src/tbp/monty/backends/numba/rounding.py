# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Dot products and sums, compiled: rounded as in `numpy.rounding`."""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic

from tbp.monty.backends.numba.compiling import inlined
from tbp.monty.backends.numba.simd import fma_of_four, four_at, put

__all__ = ["dot", "fma", "sum_as_numpy_does", "sum_of_four"]


@intrinsic
def fma(typing_context, a, b, c):  # noqa: ARG001
    signature = types.float64(types.float64, types.float64, types.float64)

    def generate(context, builder, signature, arguments):  # noqa: ARG001
        return builder.fma(*arguments)

    return signature, generate


@inlined
def dot(fused, four, vector):
    total = four[0] * vector[0]
    if fused:
        return fma_of_four(four[2], vector[2], fma_of_four(four[1], vector[1], total))
    return (total + four[1] * vector[1]) + four[2] * vector[2]


@inlined
def sum_as_numpy_does(terms):
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


@inlined
def sum_of_four(terms):
    """Add up terms as `sum_as_numpy_does`, four sums at a time."""
    count = len(terms) // 4
    total = four_at(terms, 0)
    if count < 8:
        for i in range(1, count):
            total = total + four_at(terms, 4 * i)
        return total
    whole = count - count % 8
    for i in range(8, whole):
        sum_so_far = four_at(terms, 4 * (i % 8)) + four_at(terms, 4 * i)
        put(terms, 4 * (i % 8), sum_so_far)
    total = (
        (four_at(terms, 0) + four_at(terms, 4))
        + (four_at(terms, 8) + four_at(terms, 12))
    ) + (
        (four_at(terms, 16) + four_at(terms, 20))
        + (four_at(terms, 24) + four_at(terms, 28))
    )
    for i in range(whole, count):
        total = total + four_at(terms, 4 * i)
    return total
