# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Gaps in the range of some values."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

__all__ = ["empty_bins"]


def empty_bins(
    values: npt.NDArray[np.floating], bins: int
) -> tuple[list[int], npt.NDArray[np.floating]]:
    """Return which bins of a histogram of `np.histogram` are empty.

    `np.histogram` computes the bin of each value, then compares the value with both
    edges of that bin. To compare all values with one edge takes a small part of that.

    Args:
        values: The values, not all of them equal.
        bins: The number of bins, all of the same width.

    Returns:
        The indexes of the empty bins in ascending order, and the edges of all bins.
    """
    lowest, highest = values.min(), values.max()
    if not (math.isfinite(lowest) and math.isfinite(highest)):
        np.histogram(values, bins)  # raises an error that says so
    edges = np.linspace(lowest, highest, bins + 1, dtype=values.dtype)
    below = [*(np.count_nonzero(values < edge) for edge in edges[:-1]), values.size]
    return [i for i in range(bins) if below[i] == below[i + 1]], edges
