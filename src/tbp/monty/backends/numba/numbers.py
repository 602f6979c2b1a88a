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

from tbp.monty.backends.numba.compiling import called
from tbp.monty.backends.numpy.numbers import LARGEST

__all__ = ["usable"]


@called
def usable(x, y, z):
    return abs(x) <= LARGEST and abs(y) <= LARGEST and abs(z) <= LARGEST
