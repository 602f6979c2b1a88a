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

import itertools
import math
from typing import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["highest_and_std", "ids_above"]

_LARGEST = 1e6
"""Larger values are left to numpy."""

_MARGIN = 1e-5
"""More than rounding can change the standard deviation of smaller values by."""


def highest_and_std(
    values: npt.NDArray[np.float64], limit: float
) -> tuple[float, float]:
    """Return the highest value and the standard deviation, nearly always by Python.

    Args:
        values: The values, at least one.
        limit: What the standard deviation will be compared with. It is on the same side
            of it as that of numpy, but may be rounded otherwise.
    """
    numbers = np.asarray(values).tolist()
    highest = max(numbers)
    mean = sum(numbers) / len(numbers)
    away = math.dist(numbers, [mean] * len(numbers))
    std = away / math.sqrt(len(numbers))
    # One of these is false if a number is NaN.
    is_small = abs(highest) < _LARGEST and away < _LARGEST
    if is_small and abs(std - limit) > _MARGIN:
        return highest, std
    return float(np.max(values)), float(np.std(values))


def ids_above(
    graph_ids: Sequence[str], evidences: npt.NDArray[np.float64], threshold: float
) -> list[str]:
    """Return the graphs whose evidence is above a threshold, in their order.

    Args:
        graph_ids: The graphs.
        evidences: The evidence of each.
        threshold: The threshold.
    """
    is_above = np.asarray(evidences) > threshold
    return list(itertools.compress(graph_ids, is_above.tolist()))
