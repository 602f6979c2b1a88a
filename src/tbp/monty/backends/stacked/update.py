# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The evidence update of many learning modules as one, on stacked tables."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.backends.numpy.slopes import WINDOW_SIZE
from tbp.monty.backends.numpy.thresholds import update_threshold
from tbp.monty.backends.stacked.graph_cache import GraphCache
from tbp.monty.backends.stacked.history import hand_over_history, take_over_history
from tbp.monty.backends.stacked.packing import pack_work
from tbp.monty.backends.stacked.plans import JointPlan, Plans
from tbp.monty.backends.stacked.proposals import NewChannels, sampled_in_a_burst
from tbp.monty.backends.stacked.residents import Residents
from tbp.monty.backends.tables.engine import Engine, NewHypotheses, Step
from tbp.monty.backends.tables.kernel_work import KernelWork, UpdateResult
from tbp.monty.backends.tables.segments import Segments

__all__ = ["KINDS", "Launched", "StackedUpdate"]

KINDS = {"default": 0, "burst_sampling": WINDOW_SIZE}
"""The kinds of updaters, and how many past values of the evidence each needs."""

Launched = "Iterator[None]"
"""Updates that have been queued and are to be finished."""


class StackedUpdate:
    """Updates the hypotheses of any number of learning modules in one launch.

    All of their updaters are of the same kind. It holds graphs and hypotheses from
    step to step.
    """

    def __init__(self, engine: Engine, kind: str) -> None:
        """Make empty tables.

        Args:
            engine: What computes.
            kind: The kind of the learning modules' updaters.
        """
        self._engine = engine
        self._graphs = GraphCache()
        self._table = engine.make_table(KINDS[kind])
        self._plans = Plans(self._graphs, self._table)
        self._residents = Residents(self._table)
        self._trackers: dict[int, _SegmentTracker] = {}

    def launch(self, works: Sequence[DescribedWork]) -> Launched:
        """Queue works, and wait for no results.

        Args:
            works: The works; each learning module has at most one.

        Returns:
            What to finish, before more is launched.
        """
        update = self._run(works)
        next(update)
        return update

    def finish(self, launched: Launched) -> None:
        """Wait for the results of works, and let learning modules have them."""
        for _ in launched:
            pass

    def release(self, work: DescribedWork) -> None:
        """Leave to a learning module all that is held of it.

        Args:
            work: Work of the learning module.
        """
        table = self._table
        released = self._residents.release(work.lm_id)
        for segment in released if table.window_size else ():
            graph_id = table.keys[segment].graph
            hand_over_history(table, segment, graph_id, work.state)
        table.restart(released)

    def close(self) -> None:
        """Leave all hypotheses to the learning modules, and free the tables."""
        self._residents.forget()
        self._plans.clear()
        self._graphs.clear()
        self._engine.close()

    def _run(self, works: Sequence[DescribedWork]) -> Iterator[None]:
        """Run works; the iteration stops once, when all that can be is queued."""
        table, residents = self._table, self._residents
        # Graphs first: if one cannot be used, all hypotheses are where they were.
        plan = self._plans.joint_plan(works)
        for i, work in enumerate(works):
            # Left as they are, not even displaced.
            work.state.keep_telemetry({one: {} for one in plan.plans[i].left_out})
        updates = None
        try:
            for i, work in enumerate(works):
                of_lm, state = plan.plans[i], work.state
                changed = residents.take_back(
                    work.lm_id, of_lm.segments, of_lm.graph_ids, state
                )
                for segment, graph_id in changed if table.window_size else ():
                    take_over_history(table, segment, graph_id, state)
            updates = _Updates(works, plan, table)
            if table.window_size:
                yield from self._run_burst_sampling(updates)
            else:
                yield from self._run_default(updates)
        finally:
            # Also after an error. Evidence and locations are as they were then; of
            # burst sampling, hypotheses that were due for deletion are gone.
            for i, work in enumerate(works):
                residents.hand_out(
                    work.lm_id,
                    plan.plans[i].segments,
                    plan.plans[i].graph_ids,
                    None if updates is None else updates.highest_of(i),
                )

    def _run_default(self, updates: _Updates) -> Iterator[None]:
        graphs = self._graphs.table
        work = updates.pack(graphs, updates.thresholds())
        channels = NewChannels(updates.works, updates.plan, graphs, updates.was_empty)
        new = channels.proposed
        step = self._engine.begin(updates.table, graphs, work, new)
        step.update()
        late = [one for one in new if not updates.was_empty[one.position]]
        if not late:
            step.append(new)
            step.fetch()
        yield
        if late:
            for one in late:
                one.head_start = step.mean_evidence(one.position)
            step.append(new)
        errors = _prediction_errors(updates.finish(step))
        channels.note()
        for position in np.flatnonzero(updates.was_empty).tolist():
            errors[position] = {}
        updates.keep_telemetry(errors)

    def _run_burst_sampling(self, updates: _Updates) -> Iterator[None]:
        graphs, table = self._graphs.table, updates.table
        # Hypotheses that decline are deleted, not left out.
        work = updates.pack(graphs, np.full(len(updates), -np.inf))
        new = sampled_in_a_burst(updates.works, updates.plan, graphs)
        step = self._engine.begin(table, graphs, work, new)
        if not updates.was_empty.all():
            step.delete_declining(updates.least_slopes())
        step.update()
        channels = updates.plan.channel_counts
        if not new:
            step.record(channels)
            step.fetch()
        yield
        if new:
            step.append(new)
            step.record(channels)
        errors = _prediction_errors(updates.finish(step))
        updates.keep_telemetry(self._telemetry(updates, step, new, errors))

    def _telemetry(
        self,
        updates: _Updates,
        step: Step,
        new: Sequence[NewHypotheses],
        errors: list[dict[str, Any]],
    ) -> list[dict[str, Any]]:
        """Let learning modules have slopes, and return what they log."""
        added = np.zeros(len(updates), dtype=np.int64)
        for one in new:
            added[one.position] += len(one)
        telemetry = errors
        for position, work, graph_id in updates.each():
            tracker = self._tracker(int(updates.segments[position]))
            work.state.keep_tracker(graph_id, tracker)
            if work.updater.settings["include_telemetry"]:
                count = tracker.total_size()
                telemetry[position] = dict(
                    displacer_telemetry=errors[position],
                    added_ids=np.arange(count - added[position], count),
                    ages=tracker.hyp_ages(),
                    evidence_slopes=tracker.calculate_slopes(),
                    removed_ids=np.zeros(0, dtype=np.int_)
                    if updates.was_empty[position]
                    else np.asarray(step.deleted(position), dtype=np.int_),
                    max_slope=work.state.burst()[1],
                )
        return telemetry

    def _tracker(self, segment: int) -> _SegmentTracker:
        if segment not in self._trackers:
            self._trackers[segment] = _SegmentTracker(self._table, segment)
        return self._trackers[segment]


class _Updates:
    """The works of a step, with what is asked of each segment."""

    def __init__(
        self, works: Sequence[DescribedWork], plan: JointPlan, table: Segments
    ) -> None:
        self.works = works
        self.plan = plan
        self.segments = plan.segments
        self.table = table
        self.was_empty = table.counts[plan.segments] == 0
        self._highest: npt.NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.segments)

    def each(self) -> Iterator[tuple[int, DescribedWork, str]]:
        """Return for each segment its position, the work and the graph."""
        position = 0
        for i, work in enumerate(self.works):
            for graph_id in self.plan.plans[i].graph_ids:
                yield position, work, graph_id
                position += 1

    def pack(self, graphs, thresholds: npt.NDArray[np.float64]) -> KernelWork:
        return pack_work(self.works, self.plan, self.table, graphs, thresholds)

    def finish(self, step: Step) -> UpdateResult:
        """Wait for a step, and know what it has found out."""
        result = step.finish()
        self._highest = result.highest
        return result

    def highest_of(self, owner: int) -> npt.NDArray[np.float64] | None:
        """Return the highest evidence of each graph of a work, if it is known."""
        if self._highest is None:
            return None
        return self._highest[self.plan.positions[owner]]

    def keep_telemetry(self, telemetry: Sequence[Mapping[str, Any]]) -> None:
        """Let learning modules keep what is to be known of each segment's update."""
        for i, work in enumerate(self.works):
            its_own = telemetry[self.plan.positions[i]]
            graph_ids = self.plan.plans[i].graph_ids
            work.state.keep_telemetry(dict(zip(graph_ids, its_own, strict=True)))

    def least_slopes(self) -> npt.NDArray[np.float64]:
        """Return the slope below which hypotheses are deleted, for each segment."""
        slopes = [w.updater.settings["deletion_trigger_slope"] for w in self.works]
        return np.array(slopes, dtype=np.float64)[self.plan.owners]

    def thresholds(self) -> npt.NDArray[np.float64]:
        """Return how much evidence is needed to be tested, for each segment."""
        thresholds = np.full(len(self), -np.inf)
        for i, work in enumerate(self.works):
            state = work.state
            setting = state.evidence_threshold_config
            if setting == "all":
                continue
            for position in range(len(self))[self.plan.positions[i]]:
                evidence = self.table.column(int(self.segments[position]), "evidence")
                thresholds[position] = update_threshold(
                    setting,
                    state.x_percent_threshold,
                    state.most_likely_evidence,
                    evidence,
                )
        return thresholds


def _prediction_errors(result: UpdateResult) -> list[dict[str, Any]]:
    errors, tested = result.prediction_error, result.tested.tolist()
    return [
        {"mlh_prediction_error": error if is_tested else None}
        for error, is_tested in zip(errors, tested, strict=True)
    ]


class _SegmentTracker:
    """Tells the slopes and ages of a segment's hypotheses."""

    def __init__(self, table: Segments, segment: int) -> None:
        self._table = table
        self._segment = segment

    def total_size(self) -> int:
        return int(self._table.counts[self._segment])

    def calculate_slopes(self):
        return self._table.read(self._segment, "slopes")

    def highest_slope(self) -> float | None:
        """Return the highest finite slope, or -inf; None if it is not known."""
        return self._table.highest_slope(self._segment)

    def hyp_ages(self):
        return self._table.read(self._segment, "ages").astype(np.int_)
