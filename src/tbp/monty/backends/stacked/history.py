# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Passes the past evidence of hypotheses between a table and a learning module."""

from __future__ import annotations

import numpy as np

from tbp.monty.backends.described_work import EvidenceHistory, EvidenceState
from tbp.monty.backends.numpy.slopes import mean_slopes
from tbp.monty.backends.tables.segments import Segments

__all__ = ["hand_over_history", "take_over_history"]


def hand_over_history(
    table: Segments, segment: int, graph_id: str, state: EvidenceState
) -> None:
    """Let a learning module keep the past evidence that a table holds.

    Args:
        table: The hypotheses, with a window.
        segment: The segment.
        graph_id: The graph.
        state: The learning module's state; it has the hypotheses already.
    """
    hypotheses = state.hypotheses.get(graph_id)
    if hypotheses is None:
        return
    size = table.window_size
    order = (table.newest[segment] + 1 + np.arange(size)) % size
    window = table.read(segment, "window")[:, order]
    ages = table.read(segment, "ages")
    count = len(hypotheses.evidence)
    if count != len(ages):
        # Another number of hypotheses: all of them are new.
        window, ages = np.full((count, size), np.nan), np.zeros(count, dtype=int)
    channels = table.window_channels[segment, order]
    state.keep_history(graph_id, EvidenceHistory(window, ages, channels))


def take_over_history(
    table: Segments, segment: int, graph_id: str, state: EvidenceState
) -> None:
    """Let a table hold the past evidence that a learning module keeps itself.

    Args:
        table: The hypotheses, with a window.
        segment: The segment, which holds the hypotheses already.
        graph_id: The graph.
        state: The learning module's state.
    """
    history = state.history(graph_id)
    if history is None or len(history.ages) != table.counts[segment]:
        return
    table.write(segment, "window", history.window)
    table.write(segment, "ages", history.ages)
    slopes = mean_slopes(history.window, history.channels)
    table.write(segment, "slopes", slopes)
    table.newest[segment] = table.window_size - 1
    table.window_channels[segment] = history.channels
