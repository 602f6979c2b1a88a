# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Finds the hypotheses that have much evidence."""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.tables.blocks import starts_of
from tbp.monty.backends.tables.hypotheses import HypothesisTable

__all__ = ["LikelyRows", "least_evidence", "likely_rows"]


class LikelyRows(NamedTuple):
    """Hypotheses with much evidence, of several segments.

    Attributes:
        lowest: The lowest evidence of all hypotheses of the segments.
        highest: The highest.
        counts: How many of them each segment has.
        evidence: Their evidence, segment by segment, shape (n,).
        locations: Their locations, shape (n, 3).
        poses: Their poses, shape (n, 3, 3).
    """

    lowest: float
    highest: float
    counts: npt.NDArray[np.int64]
    evidence: npt.NDArray[np.float64]
    locations: npt.NDArray[np.float64]
    poses: npt.NDArray[np.float64]

    @classmethod
    def none(cls, segments: int) -> LikelyRows:
        """Return an empty result."""
        counts = np.zeros(segments, dtype=np.int64)
        empty = np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3))
        return cls(np.inf, -np.inf, counts, *empty)


def least_evidence(threshold: float, lowest: float, highest: float) -> float:
    """Return what evidence is at least needed, rather too little than too much.

    Args:
        threshold: How much is needed on the scale from -1 to 1, on which evidence is
            put if the highest is 1 or more.
        lowest: The lowest evidence that there is.
        highest: The highest.
    """
    least = threshold
    if highest >= 1:
        least = lowest + (threshold / 2 + 0.5) * (highest - lowest)
    elif threshold < -1:
        return -np.inf
    return least - 1e-9 * max(1.0, abs(lowest), abs(highest))


def likely_rows(
    table: HypothesisTable, segments: Sequence[int], threshold: float
) -> LikelyRows:
    """Return hypotheses of a table on the host with at least some evidence.

    Args:
        table: The hypotheses.
        segments: The segments to search.
        threshold: How much evidence is needed, on the scale from -1 to 1.
    """
    evidence = np.concatenate([table.evidence[table.segment(one)] for one in segments])
    if not len(evidence):
        return LikelyRows.none(len(segments))
    lowest, highest = evidence.min(), evidence.max()
    places = np.flatnonzero(evidence >= least_evidence(threshold, lowest, highest))
    firsts = starts_of(table.counts[segments])
    bounds = places.searchsorted(firsts)
    counts = bounds[1:] - bounds[:-1]
    rows = places + np.repeat(table.starts[segments] - firsts[:-1], counts)
    return LikelyRows(
        lowest,
        highest,
        counts,
        evidence[places],
        table.locations[rows],
        table.poses[rows],
    )
