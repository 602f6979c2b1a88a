# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Brings a table to what learning modules have, before a step."""

from __future__ import annotations

from typing import Any, Protocol, Sequence

import numpy as np

from tbp.monty.backends.described_work import EvidenceUpdate, HypothesisRows
from tbp.monty.backends.hypotheses.resident import ResidentHypotheses, ResidentTracker
from tbp.monty.backends.stacked.plans import JointPlan, Plans
from tbp.monty.backends.tables.engine import Engine
from tbp.monty.backends.tables.segments import Segments

__all__ = ["Tables", "taken_over"]


class Tables(Protocol):
    """What a step needs of its stack.

    Attributes:
        engine: What computes.
        plans: Makes plans.
        table: The hypotheses.
        handles: What stands for them, by segment.
        trackers: What stands for their slopes, by segment.
    """

    engine: Engine
    plans: Plans
    table: Segments
    handles: dict[int, ResidentHypotheses]
    trackers: dict[int, ResidentTracker]

    def give_up(self, segments: Sequence[int]) -> None:
        """Remove hypotheses that their learning module has not any more."""
        ...


def taken_over(
    stack: Tables, updates: Sequence[EvidenceUpdate], plan: JointPlan
) -> tuple[Segments, list[int]]:
    """Return a fork of the table that has what learning modules have.

    Args:
        stack: What has the table.
        updates: The updates of a step.
        plan: Their plan.

    Returns:
        The fork, and the segments of the plan's keys.
    """
    table = stack.table.fork()
    segments = table.indices(plan.keys)
    gone, others = [], []
    for update, of_lm, positions in zip(
        updates, plan.plans, plan.positions, strict=True
    ):
        for graph_id, position in zip(of_lm.graph_ids, positions, strict=True):
            segment = segments[position]
            held = update.hypotheses.get(graph_id)
            if isinstance(held, ResidentHypotheses) and held is stack.handles.get(
                segment
            ):
                continue
            gone.append(segment)
            if held is not None:
                tracker = update.trackers.get(graph_id)
                others.append((segment, _rows(held), tracker))
    if not gone:
        return table, segments
    stack.give_up(gone)
    table.restart(gone)
    for segment, rows, tracker in others:
        history = None
        if tracker is not None and table.window_size:
            history = tracker.history()
        table.assign(segment, rows, history)
    return table, segments


def _rows(hypotheses: Any) -> HypothesisRows:
    names = ("evidence", "locations", "poses", "possible")
    # Votes leave masked arrays.
    arrays = [np.ma.getdata(np.asarray(getattr(hypotheses, name))) for name in names]
    return HypothesisRows(*arrays)
