# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Dot products and sums with a specified rounding.

The pose evidence of a node that matches perfectly is the square root of a value that
is zero except for rounding: one unit in the last place of a dot product moves the
evidence by 1e-8. To agree with upstream to 1e-12, dot products must be rounded as
upstream rounds them. Upstream rotates with `numpy.ndarray.dot`, which calls BLAS'
`ddot` for stacked matrices, and many BLAS kernels fuse each multiplication with the
addition that follows. We test numpy once to find out whether this is the case here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Sequence, TypeVar, Union

import numpy as np
import numpy.typing as npt

__all__ = [
    "dot3",
    "fused_multiply_add",
    "numpy_fuses_dots",
    "numpy_fuses_matrix_products",
    "sum_as_numpy_does",
]

_Array = npt.NDArray[np.float64]
_Vector = Union[Sequence[_Array], _Array]
_Term = TypeVar("_Term", float, _Array)

_SPLITTER = 134217729.0
"""2**27 + 1: multiplying by it splits a float64 into two halves of 26 bits."""


def dot3(a: _Vector, b: _Vector, fused: bool) -> _Array:
    """Return the dot product of two vectors of three components.

    Args:
        a: Three arrays, or an array of three numbers or arrays.
        b: The same.
        fused: Whether each multiplication is fused with the addition that follows.

    Returns:
        The products, added from the first to the last.
    """
    if fused:
        first_two = fused_multiply_add(a[1], b[1], a[0] * b[0])
        return fused_multiply_add(a[2], b[2], first_two)
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]


@lru_cache(maxsize=1)
def numpy_fuses_dots() -> bool:
    """Return whether numpy's stacked matrix products are fused on this machine.

    If the BLAS follows neither order, we use plain products: results then agree with
    upstream except for matches that are perfect to 1e-8.
    """
    random = np.random.default_rng(0)
    matrices = random.normal(size=(64, 3, 3))
    vector = random.normal(size=3)
    rows = tuple(matrices.transpose(2, 0, 1))
    return bool(np.array_equal(dot3(rows, vector, fused=True), matrices.dot(vector)))


@lru_cache(maxsize=1)
def numpy_fuses_matrix_products() -> bool:
    """Return whether numpy's products of stacked matrices are fused here."""
    random = np.random.default_rng(0)
    stack, matrix = random.normal(size=(64, 3, 3)), random.normal(size=(3, 3))
    # Transposed in memory, as `numpy.new_hypotheses` has them.
    product = np.matmul(stack.transpose(0, 2, 1), matrix)
    columns = [stack[:, i, :, np.newaxis] for i in range(3)]
    return bool(np.array_equal(dot3(columns, matrix, fused=True), product))


def sum_as_numpy_does(terms: Sequence[_Term]) -> _Term:
    """Add up terms in the order in which numpy adds along a short row.

    Fewer than eight terms are added one after the other. Otherwise term i goes into
    partial sum i mod 8, and the remaining terms are added at the end. The order matters
    because one such sum sorts nodes, and another decides which hypotheses to delete.
    """
    if len(terms) < 8:
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total
    sums = list(terms[:8])
    whole = len(terms) - len(terms) % 8
    for i in range(8, whole):
        sums[i % 8] = sums[i % 8] + terms[i]
    total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + (
        (sums[4] + sums[5]) + (sums[6] + sums[7])
    )
    for term in terms[whole:]:
        total = total + term
    return total


def fused_multiply_add(a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike) -> _Array:
    """Return a * b + c rounded once, for arrays; numpy has no such function.

    Exact for all results and products of ordinary size; products below 1e-290 or
    above 1e300 may be rounded twice. The method is that of Boldo and Melquiond
    (Emulation of FMA and correctly rounded sums, IEEE Transactions on Computers, 2008):
    add the rounding errors of the product and the sum, rounded to odd.
    """
    a, b, c = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (a, b, c)))
    with np.errstate(over="ignore", invalid="ignore"):
        product, product_rest = _exact_product(a, b)
        low, lowest = _exact_sum(c, product_rest)
        high, rest = _exact_sum(product, low)
        result = high + _sum_rounded_to_odd(lowest, rest)
        return np.where(np.isfinite(result), result, a * b + c)


def _exact_product(a: _Array, b: _Array) -> tuple[_Array, _Array]:
    product = a * b
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    rest = a_low * b_low - (
        ((product - a_high * b_high) - a_low * b_high) - a_high * b_low
    )
    return product, rest


def _halves(x: _Array) -> tuple[_Array, _Array]:
    shifted = _SPLITTER * x
    high = shifted - (shifted - x)
    return high, x - high


def _exact_sum(a: _Array, b: _Array) -> tuple[_Array, _Array]:
    total = a + b
    b_part = total - a
    a_part = total - b_part
    return total, (a - a_part) + (b - b_part)


def _sum_rounded_to_odd(a: _Array, b: _Array) -> _Array:
    total, rest = _exact_sum(a, b)
    is_even = (np.ascontiguousarray(total).view(np.int64) & 1) == 0
    towards = np.where(rest > 0, np.inf, -np.inf)
    return np.where(
        is_even.reshape(total.shape) & (rest != 0),
        np.nextafter(total, towards),
        total,
    )
