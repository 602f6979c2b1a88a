# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""One step of a stack: the update of many learning modules as one."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import DescribedWork, HypothesisRows
from tbp.monty.backends.numpy.thresholds import update_threshold
from tbp.monty.backends.stacked.history import take_over_history
from tbp.monty.backends.stacked.plans import JointPlan
from tbp.monty.backends.stacked.prediction_errors import PredictionErrors
from tbp.monty.backends.stacked.proposals import NewChannels, sampled_in_a_burst
from tbp.monty.backends.stacked.resident_state import ResidentState, state_of
from tbp.monty.backends.stacked.stack_tables import StackTables
from tbp.monty.backends.stacked.trackers import TrackersByGraph
from tbp.monty.backends.tables.engine import NewHypotheses, Step
from tbp.monty.backends.tables.flags import all_of, any_of
from tbp.monty.backends.tables.kernel_work import KernelWork
from tbp.monty.backends.tables.segments import Segments

__all__ = ["BurstSamplingStep", "DefaultStep", "StackedStep"]


class StackedStep:
    """One step of several works; `launch` queues what it can, `finish` waits for it.

    Attributes:
        works: The works; each learning module has at most one.
    """

    _step: Step

    def __init__(self, tables: StackTables, works: Sequence[DescribedWork]) -> None:
        self.works = works
        self._tables = tables
        self._table = tables.hypotheses
        self._plan: JointPlan | None = None
        self._highest: npt.NDArray[np.float64] | None = None

    def launch(self) -> None:
        """Take back what learning modules have changed, and start the kernels."""
        raise NotImplementedError

    def finish(self) -> None:
        """Wait for the kernels, and let learning modules have what they found."""
        raise NotImplementedError

    def hand_out(self) -> None:
        """Let learning modules read their hypotheses, also after an error.

        Evidence and locations are as they were then. If a kernel found the error,
        burst sampling has deleted what was due for deletion.
        """
        if self._plan is None:
            return
        plan, of_all = self._plan, self._highest
        # One copy for all learning modules, each of which changes its own part.
        of_all = None if of_all is None else of_all.copy()
        are_empty = self._table.counts[plan.segments] == 0
        is_any_empty = any_of(are_empty)
        for work, positions in zip(self.works, plan.positions, strict=True):
            has_empty = is_any_empty and any_of(are_empty[positions])
            self._tables.residents.end_update(
                work.lm_id,
                None if of_all is None else of_all[positions],
                are_empty[positions] if has_empty else None,
            )

    def _take_back(self) -> JointPlan:
        """Bring the tables up to date, and return the plan."""
        # Graphs first: if one cannot be used, all hypotheses are where they were.
        plan = self._plan = self._tables.plans.joint_plan(self.works)
        for work, of_lm in zip(self.works, plan.plans, strict=True):
            state = state_of(work)
            if of_lm.left_out:
                # These graphs sense nothing: their hypotheses are not even displaced.
                _begin_with_none(work)
                state.keep_telemetry({graph_id: {} for graph_id in of_lm.left_out})
            changed = self._tables.residents.begin_update(
                work.lm_id, of_lm.segments, of_lm.graph_ids, state
            )
            for segment, graph_id in changed if self._table.window_size else ():
                take_over_history(self._table, segment, graph_id, state)
        self._was_empty = self._table.counts[plan.segments] == 0
        return plan

    def _packed(
        self, plan: JointPlan, thresholds: npt.NDArray[np.float64]
    ) -> KernelWork:
        packer, graphs = self._tables.packer, self._tables.graphs.table
        return packer.pack(self.works, plan, self._table, graphs, thresholds)

    def _begin(self, work: KernelWork, new: NewHypotheses) -> Step:
        tables = self._tables
        moves = tables.residents.moves
        return tables.engine.begin(self._table, tables.graphs.table, work, new, moves)

    def _take_result(self, is_new: npt.NDArray[np.bool_] | None = None) -> JointPlan:
        """Wait, and pass prediction errors on; see `PredictionErrors.keep`."""
        plan, result = self._plan, self._step.finish()
        assert plan is not None, "finished before it was launched"
        self._highest = result.highest
        for i, work in enumerate(self.works):
            state = state_of(work)
            errors = state.telemetry
            if not isinstance(errors, PredictionErrors):
                errors = state.telemetry = PredictionErrors(errors)
            errors.keep(plan.plans[i].graph_ids, plan.positions[i], result, is_new)
        return plan


class DefaultStep(StackedStep):
    """A step of default updaters."""

    def launch(self) -> None:
        plan, graphs = self._take_back(), self._tables.graphs.table
        thresholds = self._thresholds(plan)
        work = self._packed(plan, thresholds)
        self._channels = NewChannels(self.works, plan, graphs, self._was_empty)
        new = self._channels.proposed
        self._step = self._begin(work, new)
        self._step.update()
        self._late = np.flatnonzero(~self._was_empty[new.positions]).tolist()
        if not self._late:
            self._step.append()
            self._step.fetch()

    def finish(self) -> None:
        step, new = self._step, self._channels.proposed
        for entry in self._late:
            position = int(new.positions[entry])
            new.head_starts[entry] = step.mean_evidence(position)
        if self._late:
            step.append()
        self._take_result(self._was_empty)
        self._channels.note()

    def _thresholds(self, plan: JointPlan) -> npt.NDArray[np.float64]:
        """Return how much evidence is needed to be tested, for each segment."""
        thresholds = plan.no_thresholds
        for i, work in enumerate(self.works):
            state = work.state
            setting = state.evidence_threshold_config
            if setting == "all":
                continue
            if thresholds is plan.no_thresholds:
                thresholds = thresholds.copy()
            for position in range(len(plan.segments))[plan.positions[i]]:
                # On a device, a column brings over no more than is asked of it.
                evidence: Any = self._table.column(
                    int(plan.segments[position]), "evidence"
                )
                thresholds[position] = update_threshold(
                    setting,
                    state.x_percent_threshold,
                    state.most_likely_evidence,
                    evidence,
                )
        return thresholds


class BurstSamplingStep(StackedStep):
    """A step of burst sampling updaters."""

    def launch(self) -> None:
        plan, graphs = self._take_back(), self._tables.graphs.table
        # Hypotheses that decline are deleted, not left out.
        packed = self._packed(plan, plan.no_thresholds)
        self._new = sampled_in_a_burst(self.works, plan, graphs)
        self._step = self._begin(packed, self._new)
        if not all_of(self._was_empty):
            slopes = [work.settings["deletion_trigger_slope"] for work in self.works]
            self._step.delete_declining(np.array(slopes, np.float64)[plan.owners])
        self._step.update()
        if not self._new:
            self._step.record()
            self._step.fetch()

    def finish(self) -> None:
        if self._new:
            self._step.append()
            self._step.record()
        plan = self._take_result()
        for i, work in enumerate(self.works):
            of_lm, state = plan.plans[i], state_of(work)
            trackers = _trackers(state, self._table)
            trackers.keep(of_lm.graph_ids, of_lm.segments)
            if not work.settings["include_telemetry"]:
                continue
            telemetry = state.telemetry
            added = self._new.added(len(plan.segments))
            for position, graph_id in enumerate(
                of_lm.graph_ids, plan.positions[i].start
            ):
                tracker = trackers[graph_id]
                count = tracker.total_size()
                telemetry[graph_id] = dict(
                    displacer_telemetry=telemetry[graph_id],
                    added_ids=np.arange(count - added[position], count),
                    ages=tracker.hyp_ages(),
                    evidence_slopes=tracker.calculate_slopes(),
                    removed_ids=np.zeros(0, dtype=np.int_)
                    if self._was_empty[position]
                    else np.asarray(self._step.deleted(position), dtype=np.int_),
                    max_slope=work.state.burst()[1],
                )


def _begin_with_none(work: DescribedWork) -> None:
    """Let graphs without hypotheses have none of them, in their order."""
    for graph_id in work.graph_ids:
        if graph_id not in work.state.hypotheses:
            work.state.keep_hypotheses(graph_id, HypothesisRows.none())


def _trackers(state: ResidentState, table: Segments) -> TrackersByGraph:
    """Return the slope trackers of a learning module, made if need be."""
    trackers = state.trackers
    if not isinstance(trackers, TrackersByGraph) or trackers.table is not table:
        trackers = state.trackers = TrackersByGraph(trackers, table)
    return trackers
