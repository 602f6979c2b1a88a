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

import itertools
from typing import Any, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import DescribedWork, Percept
from tbp.monty.backends.numpy.burst_sampling_update import sample_count
from tbp.monty.backends.numpy.features import FeatureQuery, make_feature_query
from tbp.monty.backends.numpy.new_hypotheses import sensed_frames
from tbp.monty.backends.numpy.slopes import WINDOW_SIZE
from tbp.monty.backends.numpy.thresholds import update_threshold
from tbp.monty.backends.stacked.graph_cache import GraphCache
from tbp.monty.backends.stacked.history import hand_over_history, take_over_history
from tbp.monty.backends.stacked.plans import JointPlan, Plans
from tbp.monty.backends.stacked.resident import Residents
from tbp.monty.backends.tables.engine import Engine, NewHypotheses, Step
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.segment_work import (
    ChannelQuery,
    PlannedWork,
    SegmentRows,
    UpdateResult,
)
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
                taken = residents.take_back(
                    work.lm_id, of_lm.segments, of_lm.graph_ids, state
                )
                for segment, graph_id in taken if table.window_size else ():
                    take_over_history(table, segment, graph_id, state)
            updates = _Updates(works, plan, table)
            if table.window_size:
                yield from self._run_burst_sampling(updates)
            else:
                yield from self._run_default(updates)
        finally:
            # Also after an error. Evidence and locations are as they were then; of
            # burst sampling, hypotheses that were due for deletion are gone.
            is_empty = table.counts[plan.segments] == 0
            for i, work in enumerate(works):
                residents.hand_out(work.lm_id, work.state)
                residents.note_highest(
                    work.lm_id,
                    plan.plans[i].segments,
                    plan.plans[i].graph_ids,
                    None if updates is None else updates.highest_of(i),
                    is_empty[plan.positions[i]],
                )

    def _tracker(self, segment: int) -> _SegmentTracker:
        if segment not in self._trackers:
            self._trackers[segment] = _SegmentTracker(self._table, segment)
        return self._trackers[segment]

    def _run_default(self, updates: _Updates) -> Iterator[None]:
        graphs = self._graphs.table
        work = updates.work(updates.thresholds())
        new = updates.new_for_new_channels(graphs)
        step = self._engine.begin(updates.table, graphs, work, new)
        step.update()
        late = [one for one in new if not updates.was_empty[one.position]]
        if not late:
            step.append(new)
        _queue_all(step)
        yield
        if late:
            for one in late:
                one.head_start = step.mean_evidence(one.position)
            step.append(new)
        errors = _prediction_errors(updates.finish(step))
        updates.note_channels()
        for position in np.flatnonzero(updates.was_empty).tolist():
            errors[position] = {}
        updates.keep_telemetry(errors)

    def _run_burst_sampling(self, updates: _Updates) -> Iterator[None]:
        graphs, table = self._graphs.table, updates.table
        # Hypotheses that decline are deleted, not left out.
        work = updates.work(np.full(len(updates), -np.inf))
        new = updates.new_in_a_burst(graphs)
        step = self._engine.begin(table, graphs, work, new)
        if not updates.was_empty.all():
            step.delete_declining(updates.of_settings("deletion_trigger_slope"))
        step.update()
        channels = updates.plan.channel_counts
        if not new:
            step.record(channels)
            _queue_all(step)
        yield
        if new:
            step.append(new)
            step.record(channels)
        telemetry = _prediction_errors(updates.finish(step))
        added = np.zeros(len(updates), dtype=np.int64)
        for one in new:
            added[one.position] += len(one)
        segments = updates.segments.tolist()
        for position, state, graph_id in updates.each():
            tracker = self._tracker(segments[position])
            state.keep_tracker(graph_id, tracker)
            if updates.settings_at(position)["include_telemetry"]:
                count = tracker.total_size()
                telemetry[position] = dict(
                    displacer_telemetry=telemetry[position],
                    added_ids=np.arange(count - added[position], count),
                    ages=tracker.hyp_ages(),
                    evidence_slopes=tracker.calculate_slopes(),
                    removed_ids=np.zeros(0, dtype=np.int_)
                    if updates.was_empty[position]
                    else np.asarray(step.deleted(position), dtype=np.int_),
                    max_slope=state.burst()[1],
                )
        updates.keep_telemetry(telemetry)


class _Updates:
    """The works of a step, with what is asked of each segment."""

    def __init__(
        self,
        works: Sequence[DescribedWork],
        plan: JointPlan,
        table: Segments,
    ) -> None:
        self.works = works
        self.plan = plan
        self.segments = plan.segments
        self.table = table
        self.was_empty = table.counts[plan.segments] == 0
        self._highest: npt.NDArray[np.float64] | None = None
        self._new_channels: list[tuple[set[str], list[str]]] = []

    def __len__(self) -> int:
        return len(self.segments)

    def each(self) -> Iterator[tuple[int, Any, str]]:
        """Return for each segment its position, the state and the graph."""
        position = 0
        for i, work in enumerate(self.works):
            for graph_id in self.plan.plans[i].graph_ids:
                yield position, work.state, graph_id
                position += 1

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

    def settings_at(self, position: int) -> Mapping[str, Any]:
        return self.works[self.plan.owners[position]].updater.settings

    def of_settings(self, name: str) -> npt.NDArray[np.float64]:
        """Return a setting of its learning module for each segment."""
        values = [work.updater.settings[name] for work in self.works]
        return np.array(values, dtype=np.float64)[self.plan.owners]

    def work(self, thresholds: npt.NDArray[np.float64]) -> PlannedWork:
        owners = self.plan.owners
        moves = [work.displacement for work in self.works]
        nowhere = (0.0, 0.0, 0.0)
        return PlannedWork(
            queries=[
                _query(work, *query)
                for i, work in enumerate(self.works)
                for query in self.plan.plans[i].query_keys
            ],
            matches=self.plan.matches,
            rows=SegmentRows(
                segments=self.segments,
                is_displaced=np.array([m is not None for m in moves])[owners],
                displacements=np.array(
                    [nowhere if m is None else m for m in moves], dtype=np.float64
                ).reshape(-1, 3)[owners],
                thresholds=thresholds,
                past_weights=self.of_settings("past_weight"),
                present_weights=self.of_settings("present_weight"),
            ),
        )

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

    def new_for_new_channels(self, graphs) -> list[NewHypotheses]:
        """Return hypotheses for channels that a graph has no hypotheses of."""
        new = []
        self._new_channels = []
        if not self.was_empty.any() and self._all_have_hypotheses():
            return new
        nodes = _AllNodes(self.works, self.plan, graphs)
        was_empty, channels = self.was_empty.tolist(), self.plan.channels
        for position, state, graph_id in self.each():
            known = state.initialized_channels.setdefault(graph_id, set())
            first = self.plan.first_matches[position]
            added = []
            for i, channel in enumerate(channels[position]):
                if was_empty[position] or channel not in known:
                    added.append(channel)
                    new.append(nodes.hypotheses(position, first + i, channel))
            self._new_channels.append((known, added))
        return new

    def _all_have_hypotheses(self) -> bool:
        """Return whether all channels that are sensed were sensed before."""
        unknown: set[str] = set()
        for i, work in enumerate(self.works):
            of_lm = self.plan.plans[i]
            get = work.state.initialized_channels.get
            known = map(get, of_lm.graph_ids, itertools.repeat(unknown))
            if not all(map(set.issuperset, known, of_lm.channels)):
                return False
        return True

    def note_channels(self) -> None:
        """Note that channels have hypotheses now."""
        for known, added in self._new_channels:
            known.update(added)

    def new_in_a_burst(self, graphs) -> list[NewHypotheses]:
        """Return hypotheses to be sampled."""
        new = []
        is_sampling = [work.state.burst()[0] for work in self.works]
        if not any(is_sampling):
            return new
        nodes = _AllNodes(self.works, self.plan, graphs)
        for position, owner in enumerate(self.plan.owners.tolist()):
            if not is_sampling[owner]:
                continue
            first = self.plan.first_matches[position]
            multiplier = self.works[owner].updater.settings["sampling_multiplier"]
            for i, channel in enumerate(self.plan.channels[position]):
                one = nodes.hypotheses(position, first + i, channel)
                per_node = one.poses_per_node
                count = sample_count(one.node_count, per_node, multiplier)
                if count:
                    one.best = count // per_node
                    new.append(one)
        return new


class _AllNodes:
    """Proposes hypotheses for all nodes of graphs, one graph after the other."""

    def __init__(
        self, works: Sequence[DescribedWork], plan: JointPlan, graphs: GraphTable
    ) -> None:
        self._works = works
        # Lists, as taking single numbers out of arrays is slow.
        self._owners = plan.owners.tolist()
        self._graphs = plan.matches.graphs.tolist()
        self._node_counts = graphs.node_counts[plan.matches.graphs].tolist()
        self._sensed: dict[tuple[int, str], tuple[Any, Any]] = {}

    def hypotheses(self, position: int, match: int, channel: str) -> NewHypotheses:
        """Return those of a graph for what is sensed.

        Args:
            position: The graph's segment, by its position in the work.
            match: The graph and what is sensed, by its position among the matches.
            channel: The channel that senses it.
        """
        # All graphs of a learning module share what it senses.
        key = (self._owners[position], channel)
        if key not in self._sensed:
            self._sensed[key] = _sensed(self._works[key[0]], channel)
        frames, poses = self._sensed[key]
        return NewHypotheses(
            position=position,
            match=match,
            graph=self._graphs[match],
            node_count=self._node_counts[match],
            frames=frames,
            poses=poses,
        )


def _queue_all(step: Step) -> None:
    # A device can be told to bring results over before anyone waits for them.
    fetch = getattr(step, "fetch", None)
    if fetch is not None:
        fetch()


def _sensed(work: DescribedWork, channel: str) -> tuple[Any, Any]:
    """Return the frames that are sensed, or the poses that are given."""
    settings = work.updater.settings
    given = settings["initial_possible_poses"]
    if given is not None:
        return None, np.array([rotation.as_matrix() for rotation in given])
    percept = work.state.percept(channel)
    count = 2 if percept.pose_fully_defined else settings["umbilical_num_poses"]
    return sensed_frames(percept.pose_vectors, count), None


def _query(work: DescribedWork, channel: str, order, columns: int) -> ChannelQuery:
    settings = work.updater.settings
    percept = work.state.percept(channel)
    normal_weight, direction_weight = settings["feature_weights"][channel][
        "pose_vectors"
    ][:2]
    return ChannelQuery(
        pose_vectors=percept.pose_vectors,
        pose_fully_defined=bool(percept.pose_fully_defined),
        curvature=float(percept.curvature),
        normal_weight=normal_weight,
        direction_weight=direction_weight,
        neighbors=settings["max_nneighbors"],
        features=_feature_query(settings, percept, channel, order, columns),
    )


def _feature_query(
    settings: Mapping[str, Any], percept: Percept, channel: str, order, columns: int
) -> FeatureQuery | None:
    if not settings["use_features_for_matching"][channel]:
        return None
    return make_feature_query(
        order,
        columns,
        percept.features,
        settings["tolerances"][channel],
        settings["feature_weights"][channel],
        settings["feature_evidence_increment"],
    )


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
