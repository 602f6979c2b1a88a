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

from tbp.monty.backends.numba.compiling import called

__all__ = ["dot", "fma", "rotated", "sum_as_numpy_does"]


@intrinsic
def fma(typing_context, a, b, c):  # noqa: ARG001
    """Return a * b + c, rounded once."""
    signature = types.float64(types.float64, types.float64, types.float64)

    def generate(context, builder, signature, arguments):  # noqa: ARG001
        return builder.fma(*arguments)

    return signature, generate


@called
def rotated(fused, poses, row, x, y, z):
    """Return a vector, rotated by one of many poses."""
    return (
        dot(fused, poses[row, 0, 0], poses[row, 0, 1], poses[row, 0, 2], x, y, z),
        dot(fused, poses[row, 1, 0], poses[row, 1, 1], poses[row, 1, 2], x, y, z),
        dot(fused, poses[row, 2, 0], poses[row, 2, 1], poses[row, 2, 2], x, y, z),
    )


@called
def dot(fused, a, b, c, x, y, z):
    if fused:
        return fma(c, z, fma(b, y, a * x))
    return (a * x + b * y) + c * z


@called
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
