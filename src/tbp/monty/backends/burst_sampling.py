# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Burst sampling: which hypotheses go, when new ones come, and how many.

The slope of a hypothesis is the mean change of its evidence over the last updates, per
input channel. It is computed when the evidence is recorded, and read on the next step:
once to decide whether a burst of new hypotheses is due, once to delete.
"""

from __future__ import annotations

from typing import Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.rounding import sum_as_numpy_does
from tbp.monty.backends.tables import HypothesisTable

__all__ = [
    "MIN_AGE",
    "WINDOW_SIZE",
    "delete_declining",
    "mean_slopes",
    "record",
    "sample_count",
    "start_recording",
]

WINDOW_SIZE = 10
"""How many past values of the evidence count, the present one included."""

MIN_AGE = 5
"""A hypothesis is not deleted before it has had that many updates."""


def sample_count(node_count: int, poses_per_node: int, multiplier: float) -> int:
    """Return how many hypotheses to sample for one input channel of a graph.

    Args:
        node_count: How many nodes the graph has there.
        poses_per_node: How many poses there are for a node.
        multiplier: How many hypotheses are wanted for a node, on average.

    Returns:
        The number, divisible by `poses_per_node`; never more than there are.
    """
    wanted = round(node_count * min(multiplier, poses_per_node))
    return wanted - wanted % poses_per_node


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
    deleted = []
    for i, segment in enumerate(segments):
        rows = table.segment(segment)
        keep = (table.slopes[rows] >= least_slopes[i]) | (table.ages[rows] < min_age)
        deleted.append(np.flatnonzero(~keep))
        table.retain(segment, keep)
    return deleted


def record(
    table: HypothesisTable, segments: Sequence[int], channels: Sequence[int]
) -> None:
    """Record the evidence of all hypotheses after an update, and their slopes.

    Args:
        table: The hypotheses.
        segments: The segments that were updated.
        channels: How many input channels took part in the update of each.
    """
    start_recording(table, segments, channels)
    for index in segments:
        rows = table.segment(index)
        table.window[rows, table.newest[index]] = table.evidence[rows]
        table.ages[rows] += 1
        # The ring from its oldest to its newest slot.
        order = (table.newest[index] + 1 + np.arange(table.window_size)) % (
            table.window_size
        )
        table.slopes[rows] = mean_slopes(
            table.window[rows][:, order], table.window_channels[index, order]
        )


def start_recording(
    table: HypothesisTable, segments: Sequence[int], channels: Sequence[int]
) -> None:
    """Turn the rings of windows to the slot that is written next.

    Args:
        table: The hypotheses.
        segments: The segments that were updated.
        channels: How many input channels took part in the update of each.
    """
    segments = np.asarray(segments, dtype=np.int64)
    table.newest[segments] = (table.newest[segments] + 1) % table.window_size
    table.window_channels[segments, table.newest[segments]] = channels


def mean_slopes(window, channels):
    """Return the mean change of evidence, NaN where there is none.

    Args:
        window: Evidence from the oldest to the newest, shape (n, updates).
        channels: How many input channels took part in each update.
    """
    changes = np.diff(window, axis=1) / channels[1:]
    is_known = ~np.isnan(changes)
    known = is_known.sum(axis=1)
    changes = np.where(is_known, changes, 0.0)
    total = sum_as_numpy_does([changes[:, i] for i in range(changes.shape[1])])
    return np.where(known > 0, total / np.maximum(known, 1), np.nan)
