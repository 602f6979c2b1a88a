# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How far the evidence of objects spreads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["spread_of"]

_LARGEST = 1e6
"""Larger values are left to numpy."""

_MARGIN = 1e-5
"""More than rounding can change the standard deviation of smaller values by."""


def spread_of(
    values: npt.NDArray[np.float64], limit: float
) -> tuple[list[Any], float, float]:
    """Return how values spread, nearly always computed by Python.

    Args:
        values: The values, at least one.
        limit: What the standard deviation will be compared with. It is on the same side
            of it as that of numpy, but may be rounded otherwise.

    Returns:
        The values as numbers of Python, which are compared faster than numpy's; the
        highest of them; and their standard deviation.
    """
    numbers = np.asarray(values).tolist()
    count, highest = len(numbers), max(numbers)
    away = math.dist(numbers, [sum(numbers) / count] * count)
    std = away / math.sqrt(count)
    # One of these is false if a number is NaN.
    is_small = abs(highest) < _LARGEST and away < _LARGEST
    if is_small and abs(std - limit) > _MARGIN:
        # Of numpy: Python's number times a float32 has the precision of a float32.
        return numbers, np.float64(highest), std
    return numbers, np.max(values), float(np.std(values))
