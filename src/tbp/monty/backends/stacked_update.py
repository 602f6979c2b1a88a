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

from dataclasses import dataclass
from typing import Any, Mapping, Protocol, Sequence

import numpy as np

from tbp.monty.backends.burst_sampling import WINDOW_SIZE, sample_count
from tbp.monty.backends.features import FeatureQuery, make_feature_query
from tbp.monty.backends.graph_cache import GraphCache, GraphKey
from tbp.monty.backends.new_hypotheses import Sample, best_nodes, sensed_frames
from tbp.monty.backends.resident import Residents
from tbp.monty.backends.segment_work import (
    ChannelQuery,
    NodeScores,
    SegmentWork,
    UpdateResult,
    Work,
)
from tbp.monty.backends.tables import HypothesisTable, SegmentKey
from tbp.monty.backends.thresholds import update_threshold
from tbp.monty.backends.work import EvidenceWork, Percept

__all__ = ["Kernels", "StackedUpdate"]


class Kernels(Protocol):
    """What computes on tables: `arithmetic` and its neighbours, or compiled twins."""

    def score_nodes(self, graphs, work: Work) -> NodeScores: ...

    def update(self, table, graphs, work: Work, scores) -> UpdateResult: ...

    def append_samples(self, table, graphs, samples: Sequence[Sample]) -> None: ...

    def delete_declining(self, table, segments, least_slopes) -> list: ...

    def record(self, table, segments, channels) -> None: ...


@dataclass
class _GraphUpdate:
    """The update of one graph of one learning module.

    Attributes:
        work: The learning module's work.
        key: The segment's key.
        segment: Its index.
        channels: The input channels that are sensed and stored.
        was_empty: Whether there were no hypotheses.
        deleted: Which hypotheses were deleted, by their former place.
    """

    work: EvidenceWork
    key: SegmentKey
    segment: int
    channels: Sequence[str]
    was_empty: bool
    deleted: Any = ()

    @property
    def graph_id(self) -> str:
        return self.key.graph


class StackedUpdate:
    """Updates the hypotheses of any number of learning modules in one launch.

    It holds graphs and hypotheses from step to step.
    """

    def __init__(self, kernels: Kernels) -> None:
        self._kernels = kernels
        self._graphs = GraphCache()
        self._tables = {
            "default": HypothesisTable(),
            "burst_sampling": HypothesisTable(WINDOW_SIZE),
        }
        self._residents = {
            kind: Residents(table) for kind, table in self._tables.items()
        }

    @property
    def kinds(self) -> Sequence[str]:
        return list(self._tables)

    def run(self, works: Sequence[EvidenceWork]) -> None:
        """Run works; each learning module has at most one."""
        for kind, update in (
            ("default", self._run_default),
            ("burst_sampling", self._run_burst_sampling),
        ):
            of_kind = [work for work in works if work.updater.kind == kind]
            if of_kind:
                self._run_kind(kind, of_kind, update)

    def close(self) -> None:
        """Leave all hypotheses to the learning modules, and free the tables."""
        for residents in self._residents.values():
            residents.forget()
        self._graphs.clear()

    def _run_kind(self, kind: str, works: Sequence[EvidenceWork], update) -> None:
        table, residents = self._tables[kind], self._residents[kind]
        updates = self._begin(works, table, residents)
        try:
            update(updates, table)
        finally:
            # Also after an error. Evidence and locations are as they were then; of
            # burst sampling, hypotheses that were due for deletion are gone.
            for one in updates:
                residents.hand_out(one.key, one.graph_id, one.work.state)

    def _run_default(self, updates: Sequence[_GraphUpdate], table) -> None:
        joint = self._joint_work(updates, _thresholds(updates, table))
        graphs = self._graphs.table
        scores = self._kernels.score_nodes(graphs, joint)
        result = self._kernels.update(table, graphs, joint, scores)
        samples = []
        for i, update in enumerate(updates):
            known = update.work.state.initialized_channels(update.graph_id)
            new = [
                channel
                for channel in update.channels
                if update.was_empty or channel not in known
            ]
            known.update(new)
            head_start = 0.0
            if new and not update.was_empty:
                head_start = np.mean(table.evidence[table.segment(update.segment)])
            samples += [
                self._sample(update, channel, scores, joint, i, head_start=head_start)
                for channel in new
            ]
            telemetry = {} if update.was_empty else _prediction_error(result, i)
            update.work.state.keep_telemetry(update.graph_id, telemetry)
        self._kernels.append_samples(table, graphs, samples)

    def _run_burst_sampling(self, updates: Sequence[_GraphUpdate], table) -> None:
        graphs = self._graphs.table
        existing = [update for update in updates if not update.was_empty]
        settings = [update.work.updater.settings for update in existing]
        deleted = self._kernels.delete_declining(
            table,
            [update.segment for update in existing],
            [one["deletion_trigger_slope"] for one in settings],
        )
        for i, update in enumerate(existing):
            update.deleted = deleted[i]
        # Hypotheses that decline are deleted, not left out.
        joint = self._joint_work(updates, [-np.inf] * len(updates))
        scores = self._kernels.score_nodes(graphs, joint)
        result = self._kernels.update(table, graphs, joint, scores)
        before = [int(table.counts[update.segment]) for update in updates]
        samples = []
        for i, update in enumerate(updates):
            is_sampling, _ = update.work.state.burst()
            if is_sampling:
                samples += self._burst_samples(update, scores, joint, i)
        self._kernels.append_samples(table, graphs, samples)
        self._kernels.record(
            table,
            [update.segment for update in updates],
            [len(update.channels) for update in updates],
        )
        for i, update in enumerate(updates):
            state = update.work.state
            tracker = _SegmentTracker(table, update.segment)
            state.keep_tracker(update.graph_id, tracker)
            telemetry = _prediction_error(result, i)
            if update.work.updater.settings["include_telemetry"]:
                telemetry = dict(
                    displacer_telemetry=telemetry,
                    added_ids=np.arange(before[i], tracker.total_size()),
                    ages=tracker.hyp_ages(),
                    evidence_slopes=tracker.calculate_slopes(),
                    removed_ids=np.asarray(update.deleted, dtype=np.int_),
                    max_slope=state.burst()[1],
                )
            state.keep_telemetry(update.graph_id, telemetry)

    def _begin(self, works, table, residents: Residents) -> list[_GraphUpdate]:
        """Bring tables up to date, and find out what is to be updated."""
        # Graphs first: if one cannot be used, all hypotheses are where they were.
        for work in works:
            radius = work.updater.settings["max_match_distance"]
            for graph_id in work.graph_ids:
                for channel in _usable_channels(work, graph_id):
                    graph = GraphKey(work.lm_id, graph_id, channel)
                    self._graphs.refresh(graph, radius, work.state)
        updates = []
        for work in works:
            for graph_id in work.graph_ids:
                channels = _usable_channels(work, graph_id)
                if not channels:
                    # Left as it is, not even displaced.
                    work.state.keep_telemetry(graph_id, {})
                    continue
                key = SegmentKey(work.lm_id, graph_id)
                segment = residents.take_back(key, graph_id, work.state)
                was_empty = table.counts[segment] == 0
                updates.append(_GraphUpdate(work, key, segment, channels, was_empty))
        return updates

    def _joint_work(self, updates, thresholds: Sequence[float]) -> Work:
        queries = _Queries(self._graphs)
        segments = [
            SegmentWork(
                segment=update.segment,
                matches=[queries.match(update, channel) for channel in update.channels],
                displacement=update.work.displacement,
                threshold=thresholds[i],
                past_weight=update.work.updater.settings["past_weight"],
                present_weight=update.work.updater.settings["present_weight"],
            )
            for i, update in enumerate(updates)
        ]
        return Work(queries.queries, segments)

    def _burst_samples(self, update, scores, joint: Work, index: int) -> list[Sample]:
        settings = update.work.updater.settings
        samples = []
        for channel in update.channels:
            per_node = _poses_per_node(settings, update.work.state.percept(channel))
            nodes = self._graphs.table.node_counts[self._graph_index(update, channel)]
            count = sample_count(int(nodes), per_node, settings["sampling_multiplier"])
            if count:
                samples.append(
                    self._sample(
                        update, channel, scores, joint, index, best=count // per_node
                    )
                )
        return samples

    def _sample(
        self,
        update: _GraphUpdate,
        channel: str,
        scores: NodeScores,
        joint: Work,
        index: int,
        best: int | None = None,
        head_start: float = 0.0,
    ) -> Sample:
        graph = self._graph_index(update, channel)
        node_count = int(self._graphs.table.node_counts[graph])
        match = joint.match_starts[index] + update.channels.index(channel)
        of_nodes = scores.of_match(match, node_count)
        settings = update.work.updater.settings
        percept = update.work.state.percept(channel)
        given = settings["initial_possible_poses"]
        poses = frames = None
        if given is None:
            count = _poses_per_node(settings, percept)
            frames = sensed_frames(percept.pose_vectors, count)
        else:
            poses = np.array([rotation.as_matrix() for rotation in given])
        return Sample(
            segment=update.segment,
            graph=graph,
            nodes=np.arange(node_count) if best is None else best_nodes(of_nodes, best),
            scores=of_nodes,
            frames=frames,
            poses=poses,
            head_start=head_start,
        )

    def _graph_index(self, update: _GraphUpdate, channel: str) -> int:
        key = GraphKey(update.work.lm_id, update.graph_id, channel)
        return self._graphs.table.index(key)


class _Queries:
    """Collects what is sensed; graphs with the same columns share a query."""

    def __init__(self, graphs: GraphCache) -> None:
        self._graphs = graphs
        self._index: dict[Any, int] = {}
        self.queries: list[ChannelQuery] = []

    def match(self, update: _GraphUpdate, channel: str) -> tuple[int, int]:
        work = update.work
        key = GraphKey(work.lm_id, update.graph_id, channel)
        graph = self._graphs.table.index(key)
        order = self._graphs.feature_order(key)
        columns = self._graphs.table.graph(graph).features.shape[1]
        shared = (work.lm_id, channel, order, columns)
        if shared not in self._index:
            self._index[shared] = len(self.queries)
            self.queries.append(_query(work, channel, order, columns))
        return graph, self._index[shared]


def _usable_channels(work: EvidenceWork, graph_id: str) -> list[str]:
    """Return the channels that are sensed and that the graph has nodes for."""
    stored = work.state.channels(graph_id)
    return [channel for channel in work.features if channel in stored]


def _query(work: EvidenceWork, channel: str, order, columns: int) -> ChannelQuery:
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


def _poses_per_node(settings: Mapping[str, Any], percept: Percept) -> int:
    given = settings["initial_possible_poses"]
    if given is not None:
        return len(given)
    return 2 if percept.pose_fully_defined else settings["umbilical_num_poses"]


def _thresholds(updates: Sequence[_GraphUpdate], table) -> list[float]:
    thresholds = []
    for update in updates:
        state = update.work.state
        setting = state.evidence_threshold_config
        if setting == "all":
            thresholds.append(-np.inf)
            continue
        evidence = table.evidence[table.segment(update.segment)]
        thresholds.append(
            update_threshold(
                setting,
                state.x_percent_threshold,
                state.most_likely_evidence,
                evidence,
            )
        )
    return thresholds


def _prediction_error(result: UpdateResult, index: int) -> dict[str, Any]:
    was_tested = result.tested[index] > 0
    error = result.prediction_error[index] if was_tested else None
    return {"mlh_prediction_error": error}


class _SegmentTracker:
    """Tells the slopes and ages of a segment's hypotheses."""

    def __init__(self, table: HypothesisTable, segment: int) -> None:
        self._table = table
        self._segment = segment

    def total_size(self) -> int:
        return int(self._table.counts[self._segment])

    def calculate_slopes(self):
        return self._table.slopes[self._table.segment(self._segment)].copy()

    def hyp_ages(self):
        ages = self._table.ages[self._table.segment(self._segment)]
        return ages.astype(np.int_)
