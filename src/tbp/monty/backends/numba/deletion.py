# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Deleting hypotheses of many segments at once, compiled."""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numba import kernels
from tbp.monty.backends.numpy.slopes import MIN_AGE
from tbp.monty.backends.tables.hypotheses import HypothesisTable

__all__ = ["delete_declining"]


class _Columns(NamedTuple):
    evidence: npt.NDArray[np.float64]
    locations: npt.NDArray[np.float64]
    poses: npt.NDArray[np.float64]
    possible: npt.NDArray[np.bool_]
    window: npt.NDArray[np.float64]
    slopes: npt.NDArray[np.float64]
    ages: npt.NDArray[np.int32]


def delete_declining(
    table: HypothesisTable,
    segments: Sequence[int],
    least_slopes: Sequence[float],
    min_age: int = MIN_AGE,
) -> list[npt.NDArray[np.int64]]:
    """Delete hypotheses that are old enough and whose slope is too low.

    Args:
        table: The hypotheses.
        segments: Where to delete.
        least_slopes: For each of these, the slope from which on hypotheses are kept.
        min_age: Younger hypotheses are kept.

    Returns:
        For each of the segments, which hypotheses were deleted, by their former place.
    """
    index = np.asarray(segments, dtype=np.int64)
    counts = table.counts[index]
    ends = np.cumsum(counts)
    deleted = np.empty(counts.sum(), dtype=np.int64)
    deleted_counts = np.zeros(len(index), dtype=np.int64)
    kernels.delete(
        table.starts[index],
        counts,
        ends - counts,
        np.asarray(least_slopes, dtype=np.float64),
        min_age,
        _Columns(
            table.evidence,
            table.locations,
            table.poses,
            table.possible,
            table.window,
            table.slopes,
            table.ages,
        ),
        deleted,
        deleted_counts,
    )
    result = []
    for i, segment in enumerate(segments):
        table.shorten(segment, counts[i] - deleted_counts[i])
        first = ends[i] - counts[i]
        result.append(deleted[first : first + deleted_counts[i]])
    return result
