# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The parts of an update that stay the same from step to step."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import AbstractSet, Callable, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.backends.stacked.graph_cache import GraphCache, GraphKey
from tbp.monty.backends.stacked.resident_state import state_of
from tbp.monty.backends.tables.blocks import starts_of
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.segments import SegmentKey, Segments

__all__ = ["JointPlan", "LMPlan", "Plans", "QueryKey"]


class QueryKey(NamedTuple):
    """Graphs of a learning module that agree in these share a query.

    Attributes:
        channel: The input channel.
        features: The features that have columns, in their order.
        columns: How many columns there are.
    """

    channel: str
    features: tuple[str, ...]
    columns: int


# Steps compare these sets; equal ones are one object.
_one_set: Callable[[Sequence[str]], frozenset[str]] = functools.lru_cache(frozenset)

MOST_JOINT = 32
"""How many plans of several learning modules are kept: all that five may need."""


@dataclass(frozen=True)
class LMPlan:
    """Which graphs of a learning module are updated, and what they are matched with.

    Attributes:
        graph_ids: The graphs that have a channel that is sensed.
        left_out: Those that have none.
        segments: The segments of `graph_ids` in the table of hypotheses.
        channels: For each graph, the channels that are sensed and stored.
        channels_of: The same by graph, as `initialized_channels` has them.
        graphs: For each match, the index of the graph.
        queries: For each match, which of `query_keys`.
        query_keys: What is to be asked, see `QueryKey`.
    """

    graph_ids: Sequence[str]
    left_out: Sequence[str]
    segments: Sequence[int]
    channels: Sequence[Sequence[str]]
    channels_of: Mapping[str, AbstractSet[str]]
    graphs: npt.NDArray[np.int64]
    queries: npt.NDArray[np.int64]
    query_keys: Sequence[QueryKey]


@dataclass(frozen=True, eq=False)
class JointPlan:
    """The plans of several learning modules as one.

    Attributes:
        plans: The plans.
        segments: All segments.
        positions: For each plan, which of the segments are its own.
        owners: For each segment, which plan it belongs to.
        match_starts: Where the matches of each segment start, and the end.
        match_positions: For each match, which segment it belongs to.
        match_graphs: For each match, the index of the graph.
        match_queries: For each match, the index of the query.
        asked: For each query, which plan it belongs to, and what is asked.
        no_thresholds: For each segment, less evidence than any hypothesis has.
        are_displaced: For each segment, that it is.
        displaced_at: Where the displacement of each segment is among the numbers of
            all learning modules, three of each and then nine of each query.
        sensed_at: Where the first six of the nine are, for each query.
    """

    plans: Sequence[LMPlan]
    segments: npt.NDArray[np.int64]
    positions: Sequence[slice]
    owners: npt.NDArray[np.int64]
    match_starts: npt.NDArray[np.int64]
    match_positions: npt.NDArray[np.int64]
    match_graphs: npt.NDArray[np.int64]
    match_queries: npt.NDArray[np.int64]
    asked: Sequence[tuple[int, QueryKey]]
    no_thresholds: npt.NDArray[np.float64]
    are_displaced: npt.NDArray[np.bool_]
    displaced_at: npt.NDArray[np.int64]
    sensed_at: npt.NDArray[np.int64]


@dataclass
class _Known:
    """A learning module's plan, and what it was made from, to see whether it holds.

    Attributes:
        graph_ids: All graphs.
        sensed: The channels that are sensed.
        radius: How far a node may be to match.
        stored: What stands for the graphs as they are stored.
        channels: For each graph, the channels that are sensed and stored.
        table: What the plan was made for; None if there is no plan yet.
        plan: The plan.
    """

    graph_ids: Sequence[str]
    sensed: Sequence[str]
    radius: float
    stored: object
    channels: Sequence[Sequence[str]]
    table: GraphTable | None = None
    plan: LMPlan = field(init=False)


class Plans:
    """Makes plans, and caches them until something changes."""

    def __init__(self, graphs: GraphCache, hypotheses: Segments) -> None:
        self._graphs = graphs
        self._hypotheses = hypotheses
        self._known: dict[str, _Known] = {}
        self._joint: dict[tuple[int, ...], JointPlan] = {}
        """By the identities of the plans, which it holds. Learning modules that sense
        nothing have no work, so that the works of a step are not always the same."""

    def joint_plan(self, works: Sequence[DescribedWork]) -> JointPlan:
        """Bring the graphs up to date, and return the plan for the works of a step."""
        # All of them first: if one cannot be used, nothing has changed.
        all_known = [self._refresh(work) for work in works]
        table = self._graphs.table
        for i, known in enumerate(all_known):
            if known.table is not table:
                known.plan = self._make(works[i].lm_id, known, table)
                known.table = table
                self._joint.clear()
        plans = [known.plan for known in all_known]
        key = tuple(map(id, plans))
        joint = self._joint.get(key)
        if joint is None:
            if len(self._joint) == MOST_JOINT:
                self._joint.clear()
            joint = self._joint[key] = _join(plans)
        return joint

    def clear(self) -> None:
        self._known.clear()
        self._joint.clear()

    def _refresh(self, work: DescribedWork) -> _Known:
        """Have the graphs as they are stored, and return what is known of them."""
        state = state_of(work)
        sensed = list(work.features)
        radius = work.settings["max_match_distance"]
        known = self._known.get(work.lm_id)
        stored = state.stored(known and known.stored)
        if (
            known is not None
            and known.stored is stored
            and known.graph_ids == work.graph_ids
            and known.sensed == sensed
            and known.radius == radius
        ):
            return known
        channels = []
        for graph_id in work.graph_ids:
            of_graph = state.channels(graph_id)
            usable = [channel for channel in sensed if channel in of_graph]
            for channel in usable:
                key = GraphKey(work.lm_id, graph_id, channel)
                self._graphs.refresh(key, radius, state)
            channels.append(usable)
        before, graph_ids = known, list(work.graph_ids)
        known = _Known(graph_ids, sensed, radius, stored, channels)
        if before and (before.graph_ids, before.channels) == (graph_ids, channels):
            # A channel that no graph has stored does not change the plan.
            known.table, known.plan = before.table, before.plan
        self._known[work.lm_id] = known
        return known

    def _make(self, lm_id: str, known: _Known, table: GraphTable) -> LMPlan:
        graph_ids, channels = known.graph_ids, known.channels
        updated = [i for i, of_graph in enumerate(channels) if of_graph]
        graphs, queries = [], []
        query_index: dict[QueryKey, int] = {}
        for i in updated:
            for channel in channels[i]:
                key = GraphKey(lm_id, graph_ids[i], channel)
                graph = table.index(key)
                columns = int(table.arrays.feature_columns[graph])
                query = QueryKey(channel, self._graphs.features(key), columns)
                graphs.append(graph)
                queries.append(query_index.setdefault(query, len(query_index)))
        return LMPlan(
            graph_ids=[graph_ids[i] for i in updated],
            left_out=[g for i, g in enumerate(graph_ids) if not channels[i]],
            segments=self._hypotheses.indices(
                [SegmentKey(lm_id, graph_ids[i]) for i in updated]
            ),
            channels=[channels[i] for i in updated],
            channels_of={graph_ids[i]: _one_set(tuple(channels[i])) for i in updated},
            graphs=np.array(graphs, dtype=np.int64),
            queries=np.array(queries, dtype=np.int64),
            query_keys=list(query_index),
        )


def _join(plans: Sequence[LMPlan]) -> JointPlan:
    sizes = [len(plan.graph_ids) for plan in plans]
    ends = np.cumsum(sizes).tolist()
    query_starts = np.cumsum([0, *(len(plan.query_keys) for plan in plans)]).tolist()
    counts = [len(of_graph) for plan in plans for of_graph in plan.channels]
    none = np.zeros(0, dtype=np.int64)
    owners = np.repeat(np.arange(len(plans)), sizes)
    poses_at = 3 * len(plans) + 9 * np.arange(query_starts[-1])
    return JointPlan(
        plans=plans,
        segments=np.array([s for p in plans for s in p.segments], dtype=np.int64),
        positions=[slice(end - sizes[i], end) for i, end in enumerate(ends)],
        owners=owners,
        match_starts=starts_of(counts),
        match_positions=np.repeat(np.arange(len(counts)), counts),
        match_graphs=np.concatenate([none, *(plan.graphs for plan in plans)]),
        match_queries=np.concatenate(
            [none, *(p.queries + query_starts[i] for i, p in enumerate(plans))]
        ),
        asked=[(i, key) for i, plan in enumerate(plans) for key in plan.query_keys],
        no_thresholds=np.full(sum(sizes), -np.inf),
        are_displaced=np.ones(sum(sizes), dtype=np.bool_),
        displaced_at=3 * owners[:, np.newaxis] + np.arange(3),
        sensed_at=poses_at[:, np.newaxis] + np.arange(6),
    )
