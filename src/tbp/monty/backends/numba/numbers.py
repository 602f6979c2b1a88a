# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Which numbers can be computed with, compiled: see `numpy.numbers`."""

from __future__ import annotations

from tbp.monty.backends.numba.compiling import inlined
from tbp.monty.backends.numba.simd import absolute_values, where_at_least
from tbp.monty.backends.numpy.numbers import LARGEST

__all__ = ["count_unusable", "usable"]


@inlined
def count_unusable(x, y, z):
    """Return how many of three numbers are unusable, in each lane."""
    return (_is_unusable(x) + _is_unusable(y)) + _is_unusable(z)


@inlined
def _is_unusable(four):
    return where_at_least(LARGEST, absolute_values(four), 0.0, 1.0)


@inlined
def usable(x, y, z):
    return abs(x) <= LARGEST and abs(y) <= LARGEST and abs(z) <= LARGEST
