# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Steps of hypotheses updaters: what of the arithmetic they do, in which order."""

from __future__ import annotations

from typing import Any, ClassVar, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import (
    DescribedOutcome,
    EvidenceUpdate,
    HypothesisRows,
)
from tbp.monty.backends.numpy.slopes import WINDOW_SIZE
from tbp.monty.backends.numpy.thresholds import update_threshold
from tbp.monty.backends.stacked.packing import pack
from tbp.monty.backends.stacked.plans import JointPlan
from tbp.monty.backends.stacked.proposals import of_new_channels, sampled_in_a_burst
from tbp.monty.backends.stacked.taking_over import Tables, taken_over
from tbp.monty.backends.tables.engine import NewHypotheses, Step
from tbp.monty.backends.tables.flags import all_of
from tbp.monty.backends.tables.kernel_work import KernelWork, UpdateResult
from tbp.monty.backends.tables.segments import Segments

__all__ = ["BurstSamplingStep", "DefaultStep", "StackedStep"]


class Finished(NamedTuple):
    """The outcome of a step, with which nothing can fail any more.

    Attributes:
        table: The hypotheses.
        segments: Those that were updated.
        plan: Of which learning modules and graphs.
        telemetry: What is told of each segment.
    """

    table: Segments
    segments: Sequence[int]
    plan: JointPlan
    telemetry: Sequence[Mapping[str, Any]]


class StackedStep:
    """One step of several learning modules; `launch` queues it, `finish` waits for it.

    Attributes:
        updates: What they update; each learning module has at most one update.
    """

    window_size: ClassVar[int] = 0
    """How many past values of the evidence it needs."""

    def __init__(self, stack: Tables, updates: Sequence[EvidenceUpdate]) -> None:
        self.updates = updates
        self._stack = stack
        self._engine = stack.engine
        self._step: Step

    def launch(self) -> None:
        """Start the kernels, on a fork of the table."""
        # Graphs first: if one cannot be used, all hypotheses are where they were.
        self._plan = plan = self._stack.plans.joint_plan(self.updates)
        self._graphs = self._stack.plans.graphs
        self._table, segments = taken_over(self._stack, self.updates, plan)
        self._segments = np.array(segments, dtype=np.int64)
        self._was_empty = self._table.counts[self._segments] == 0
        self._launch()

    def finish(self) -> Finished:
        """Wait for the kernels, and return what they found."""
        result = self._finish()
        count = range(len(self._segments))
        telemetry = [self._telemetry(position, result) for position in count]
        self._keep_possible()
        return Finished(self._table, self._segments.tolist(), self._plan, telemetry)

    def outcome(self, number: int, finished: Finished) -> DescribedOutcome:
        """Return what one of the learning modules is to know, once it is committed."""
        of_lm, update = self._plan.plans[number], self.updates[number]
        of_lm_only = self._plan.positions[number]
        segments = [finished.segments[i] for i in of_lm_only]
        telemetry = [finished.telemetry[i] for i in of_lm_only]
        handles = map(self._stack.handles.__getitem__, segments)
        unknown = [one for one in of_lm.left_out if one not in update.hypotheses]
        return DescribedOutcome(
            hypotheses={
                **dict.fromkeys(unknown, HypothesisRows.none()),
                **dict(zip(of_lm.graph_ids, handles, strict=True)),
            },
            telemetry={
                **{graph_id: {} for graph_id in of_lm.left_out},
                **dict(zip(of_lm.graph_ids, telemetry, strict=True)),
            },
            **self._more(number, segments),
        )

    def _launch(self) -> None:
        raise NotImplementedError

    def _finish(self) -> UpdateResult:
        return self._step.finish()

    def _telemetry(self, position: int, result: UpdateResult) -> dict[str, Any]:
        is_tested = result.tested[position]
        error = result.prediction_error[position] if is_tested else None
        return {"mlh_prediction_error": error}

    def _more(self, number: int, segments: Sequence[int]) -> dict[str, Any]:
        """Return what else the outcome of a learning module has."""
        raise NotImplementedError

    def _begin(self, work: KernelWork, new: NewHypotheses) -> None:
        self._new = new
        self._step = self._engine.begin(self._table, self._graphs, work, new)

    def _packed(self, thresholds: npt.NDArray[np.float64]) -> KernelWork:
        return pack(
            self.updates,
            self._plan,
            self._table,
            self._graphs,
            self._segments,
            thresholds,
        )

    def _keep_possible(self) -> None:
        """Have the right number of flags, each with the hypothesis that it is of."""
        table = self._table
        for position, segment in enumerate(self._segments.tolist()):
            flags = table.possible.get(segment)
            count = int(table.counts[segment])
            if flags is None:
                continue
            if not flags.any():
                del table.possible[segment]
                continue
            kept = np.delete(flags, self._deleted(position))
            fresh = np.zeros(count - len(kept), dtype=np.bool_)
            table.possible[segment] = np.concatenate([kept, fresh])

    def _deleted(self, position: int) -> npt.NDArray[np.int64]:  # noqa: ARG002
        return np.zeros(0, dtype=np.int64)


class DefaultStep(StackedStep):
    """A step of default updaters."""

    def _launch(self) -> None:
        plan, was_empty = self._plan, self._was_empty
        new = of_new_channels(self.updates, plan, self._graphs, was_empty)
        self._begin(self._packed(self._thresholds()), new)
        self._step.update()
        self._late = np.flatnonzero(~was_empty[new.positions]).tolist()
        if not self._late:
            self._step.append()
            self._step.fetch()

    def _finish(self) -> UpdateResult:
        for entry in self._late:
            position = int(self._new.positions[entry])
            self._new.head_starts[entry] = self._step.mean_evidence(position)
        if self._late:
            self._step.append()
        return self._step.finish()

    def _telemetry(self, position: int, result: UpdateResult) -> dict[str, Any]:
        # A graph without hypotheses has no error to tell.
        if self._was_empty[position]:
            return {}
        return super()._telemetry(position, result)

    def _more(self, number: int, segments: Sequence[int]) -> dict[str, Any]:
        del segments
        of_lm, known = self._plan.plans[number], self.updates[number]
        channels = zip(of_lm.graph_ids, of_lm.channels, strict=True)
        before = known.initialized_channels
        return {
            "initialized_channels": {
                graph_id: {*before.get(graph_id, ()), *of_graph}
                for graph_id, of_graph in channels
            }
        }

    def _thresholds(self) -> npt.NDArray[np.float64]:
        """Return how much evidence is needed to be tested, for each segment."""
        thresholds = np.full(len(self._segments), -np.inf)
        for update, positions in zip(self.updates, self._plan.positions, strict=True):
            setting = update.evidence_threshold_config
            if setting == "all":
                continue
            for position in positions:
                thresholds[position] = update_threshold(
                    setting,
                    update.x_percent_threshold,
                    update.most_likely_evidence,
                    self._evidence(position, setting),
                )
        return thresholds

    def _evidence(self, position: int, setting: float | str) -> npt.NDArray[np.float64]:
        """Return the evidence of a segment, if a threshold depends on it."""
        segment = int(self._segments[position])
        if setting in {"mean", "median"}:
            return self._table.read(segment, "evidence")
        return np.zeros(self._table.counts[segment])


class BurstSamplingStep(StackedStep):
    """A step of burst sampling updaters."""

    window_size = WINDOW_SIZE

    def _launch(self) -> None:
        # Hypotheses that decline are deleted, not left out.
        work = self._packed(np.full(len(self._segments), -np.inf))
        new = sampled_in_a_burst(self.updates, self._plan, self._graphs)
        self._begin(work, new)
        if not all_of(self._was_empty):
            slopes = [one.settings["deletion_trigger_slope"] for one in self.updates]
            least = np.array(slopes, np.float64)[self._plan.owners]
            self._step.delete_declining(least)
        self._step.update()
        if not new:
            self._step.record()
            self._step.fetch()

    def _finish(self) -> UpdateResult:
        if self._new:
            self._step.append()
            self._step.record()
        result = self._step.finish()
        self._added = self._new.added(len(self._segments))
        return result

    def _telemetry(self, position: int, result: UpdateResult) -> dict[str, Any]:
        errors = super()._telemetry(position, result)
        update = self.updates[self._plan.owners[position]]
        if not update.settings["include_telemetry"]:
            return errors
        table, segment = self._table, int(self._segments[position])
        count = int(table.counts[segment])
        return dict(
            displacer_telemetry=errors,
            added_ids=np.arange(count - self._added[position], count),
            ages=table.read(segment, "ages").astype(np.int_),
            evidence_slopes=table.read(segment, "slopes"),
            removed_ids=self._deleted(position),
            max_slope=update.max_slope,
        )

    def _deleted(self, position: int) -> npt.NDArray[np.int64]:
        if self._was_empty[position]:
            return np.zeros(0, dtype=np.int64)
        return self._step.deleted(position)

    def _more(self, number: int, segments: Sequence[int]) -> dict[str, Any]:
        graph_ids = self._plan.plans[number].graph_ids
        trackers = map(self._stack.trackers.__getitem__, segments)
        return {"trackers": dict(zip(graph_ids, trackers, strict=True))}
