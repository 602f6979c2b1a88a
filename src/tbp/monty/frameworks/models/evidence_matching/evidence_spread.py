# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How far the evidence of objects spreads, computed only where it must be."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

__all__ = ["MeanAndStd", "Rounded", "highest_and_std"]

_MARGIN = 1e-6
"""More than rounding can change a standard deviation by, relative to the range."""

_LARGEST = 1e6
"""Among larger values rounding may change it by more."""


def highest_and_std(
    values: npt.NDArray[np.float64], limit: float
) -> tuple[float, float]:
    """Return the highest value, and the standard deviation or a bound of it.

    A standard deviation is at most half of the range, and at least the range divided by
    the square root of twice the number of values. Nearly always one of the two says
    already on which side of the limit it is.

    Args:
        values: The values, at least one.
        limit: What the standard deviation will be compared with. A bound is on the same
            side of it.
    """
    numbers = np.asarray(values).tolist()
    lowest, highest = min(numbers), max(numbers)
    # NaN is neither the lowest nor the highest, but makes the sum NaN.
    if lowest > -_LARGEST and highest < _LARGEST and not math.isnan(sum(numbers)):
        most = (highest - lowest) / 2
        if most * (1 + _MARGIN) < limit:
            return highest, most
        least = (highest - lowest) / math.sqrt(2 * len(numbers))
        if least * (1 - _MARGIN) > limit:
            return highest, least
    return float(np.max(values)), float(np.std(values))


class MeanAndStd:
    """The mean and standard deviation of evidence, for a log: computed when printed."""

    def __init__(self, values: npt.NDArray[np.float64]) -> None:
        self._values = values

    def __str__(self) -> str:
        mean, std = np.round([np.mean(self._values), np.std(self._values)], 3)
        return f"mean evidence: {mean}, std: {std}"


class Rounded:
    """A number for a log, rounded when it is printed."""

    def __init__(self, value: float, decimals: int) -> None:
        self._value = value
        self._decimals = decimals

    def __str__(self) -> str:
        return str(np.round(self._value, self._decimals))
