# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Judges the figures of a proposed run against those of a baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .metrics import METRICS, RUNTIME, Figures, Metric

__all__ = [
    "BETTER",
    "UNCHANGED",
    "WORSE",
    "Compared",
    "Row",
    "Tolerances",
    "compared",
]

BETTER, WORSE, UNCHANGED = "better", "worse", "unchanged"


@dataclass(frozen=True)
class Tolerances:
    """How much a figure may differ, relative to the baseline, and count as unchanged.

    Attributes:
        results: Of what Monty found, and in how many steps and episodes.
        times: Of what differs from run to run.
    """

    results: float = 0.0
    times: float = 0.1

    def of(self, metric: Metric) -> float:
        return self.times if metric.is_time else self.results


@dataclass(frozen=True)
class Row:
    """A metric on both sides; None where a side has no such figure."""

    metric: Metric
    baseline: float | None
    proposed: float | None
    delta: float | None
    result: str


@dataclass(frozen=True)
class Compared:
    """An experiment on both sides.

    Attributes:
        name: The experiment.
        rows: A row per metric.
        notes: What a reader must know about the rows.
    """

    name: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Whether the results are the same; times do not count."""
        return all(row.result == UNCHANGED or row.metric.is_time for row in self.rows)


def compared(
    name: str, baseline: Figures, proposed: Figures, tolerances: Tolerances
) -> Compared:
    """Compare the figures of two runs of an experiment."""
    notes = []
    left, right = dict(baseline.values), dict(proposed.values)
    if None in (baseline.wall_s, proposed.wall_s):
        # Otherwise one side would count what the other does not.
        for values, figures in ((left, baseline), (right, proposed)):
            values[RUNTIME.name] = figures.all_episodes_s / 60
        notes.append("runtime: the sum of the episodes, because a run's own is unknown")
    rows = tuple(_row(metric, left, right, tolerances) for metric in METRICS)
    if rows[-1].result != UNCHANGED:
        notes.append("the sides ran different episodes")
    return Compared(name, rows, tuple(notes))


def _row(
    metric: Metric,
    baseline: Mapping[str, float | None],
    proposed: Mapping[str, float | None],
    tolerances: Tolerances,
) -> Row:
    left, right = baseline[metric.name], proposed[metric.name]
    if left is None or right is None:
        # Only the rotation error can be missing: if no object was recognised.
        found = UNCHANGED if left is right else WORSE if right is None else BETTER
        return Row(metric, left, right, None, found)
    delta = right - left
    if abs(delta) <= tolerances.of(metric) * abs(left):
        return Row(metric, left, right, delta, UNCHANGED)
    is_better = (delta > 0) == metric.more_is_better
    return Row(metric, left, right, delta, BETTER if is_better else WORSE)
