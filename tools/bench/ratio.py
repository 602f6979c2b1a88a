# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How many times faster than the baseline a side is, with the spread over rounds."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Ratio", "quartiles", "ratio_of", "show_range"]


class Ratio(NamedTuple):
    """The baseline's time divided by a side's, so more is faster.

    Attributes:
        median: The median of the ratios within each round.
        quartiles: Their first and third quartile.
    """

    median: float
    quartiles: list[float]


def ratio_of(baseline: Sequence[float], side: Sequence[float]) -> Ratio:
    """Return the ratio of the seconds of the baseline's rounds and a side's."""
    in_rounds = [u / s for u, s in zip(baseline, side, strict=True)]
    return Ratio(statistics.median(in_rounds), quartiles(in_rounds))


def quartiles(values: Sequence[float]) -> list[float]:
    """Return the first and the third quartile; of one value, twice that value."""
    if len(values) == 1:
        return [values[0]] * 2
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return [low, high]


def show_range(pair: Sequence[float] | None) -> str:
    """Return a range in words; a dash if there is none."""
    return "-" if pair is None else f"{pair[0]:.3f}..{pair[1]:.3f}"
