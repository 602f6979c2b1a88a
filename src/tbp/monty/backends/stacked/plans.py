# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Which segments and graphs a step needs, kept while graphs stay as they are."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any, Hashable, Iterator, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import EvidenceUpdate
from tbp.monty.backends.stacked.stored_graphs import (
    CheckedGraphs,
    GraphKey,
    StoredGraph,
)
from tbp.monty.backends.tables.blocks import starts_of
from tbp.monty.backends.tables.graphs import Graph, GraphTable, make_graph
from tbp.monty.backends.tables.held import HOST, Held, name_of
from tbp.monty.backends.tables.segments import SegmentKey

__all__ = ["JointPlan", "LMPlan", "Plans", "QueryKey"]

MOST_JOINT = 64
"""How many plans of several learning modules are kept. Those that sense nothing have no
work, so that the works of a step are not always the same."""

_revisions = itertools.count()


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


@dataclass(frozen=True, eq=False)
class LMPlan:
    """Which graphs of a learning module are updated, and what they are matched with.

    Attributes:
        graph_ids: The graphs that have a channel that is sensed.
        left_out: Those that have none.
        keys: What the segments of `graph_ids` are found by.
        channels: For each graph, the channels that are sensed and stored.
        graphs: For each match, the index of the graph.
        queries: For each match, which of `query_keys`.
        query_keys: What is to be asked, see `QueryKey`.
        revision: Another number for every plan.
    """

    graph_ids: Sequence[str]
    left_out: Sequence[str]
    keys: Sequence[SegmentKey]
    channels: Sequence[Sequence[str]]
    graphs: npt.NDArray[np.int64]
    queries: npt.NDArray[np.int64]
    query_keys: Sequence[QueryKey]
    revision: int = field(default_factory=lambda: next(_revisions))


@dataclass(eq=False)
class JointPlan:
    """The plans of several learning modules as one.

    Attributes:
        plans: The plans.
        keys: What the segments are found by.
        positions: For each plan, which of the segments are its own.
        owners: For each segment, which plan it belongs to.
        match_starts: Where the matches of each segment start, and the end.
        match_positions: For each match, which segment it belongs to.
        match_graphs: For each match, the index of the graph.
        match_queries: For each match, the index of the query.
        asked: For each query, which plan it belongs to, and what is asked.
        settled: What `pack` keeps here from step to step.
    """

    plans: Sequence[LMPlan]
    keys: Sequence[SegmentKey]
    positions: Sequence[range]
    owners: npt.NDArray[np.int64]
    match_starts: npt.NDArray[np.int64]
    match_positions: npt.NDArray[np.int64]
    match_graphs: npt.NDArray[np.int64]
    match_queries: npt.NDArray[np.int64]
    asked: Sequence[tuple[int, QueryKey]]
    settled: Any = None


@dataclass
class _Known:
    """What is known of a learning module, and what it was made from.

    Attributes:
        made_from: Its graphs, its channels, the radius and the revision of the memory.
        channels: For each graph, the channels that are sensed and stored.
        stored: Its graphs as they are stored.
        table: The revision of the table that the plan was made for.
        plan: The plan.
    """

    made_from: Hashable
    channels: Sequence[Sequence[str]]
    stored: dict[GraphKey, StoredGraph]
    table: int = -1
    plan: LMPlan | None = None

    def stacks_other_than(self, before: _Known | None) -> bool:
        """Return whether it needs another table of graphs than it needed before."""
        if self is before:
            return False
        return before is None or {k: one.graph for k, one in self.stored.items()} != {
            k: one.graph for k, one in before.stored.items()
        }


class Plans:
    """Makes plans, and keeps them until graphs, channels or the radius change."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}
        self._joint: dict[tuple[int, ...], JointPlan] = {}
        self._checked = CheckedGraphs()
        self.graphs = GraphTable({})
        """The graphs of all of them."""

    def joint_plan(self, updates: Sequence[EvidenceUpdate]) -> JointPlan:
        """Bring the graphs up to date, and return the plan for the works of a step."""
        # All of them first: if one cannot be used, nothing has changed.
        known = {update.lm_id: self._refreshed(update) for update in updates}
        before, self._known = self._known, {**self._known, **known}
        if any(one.stacks_other_than(before.get(lm)) for lm, one in known.items()):
            each = [of_lm.stored.items() for of_lm in self._known.values()]
            self.graphs = GraphTable({key: one.graph for of in each for key, one in of})
        plans = [self._plan(lm_id, one) for lm_id, one in known.items()]
        key = tuple(plan.revision for plan in plans)
        joint = self._joint.pop(key, None) or _join(plans)
        self._joint[key] = joint  # the last one used is the last to go
        if len(self._joint) > MOST_JOINT:
            del self._joint[next(iter(self._joint))]
        return joint

    def forget(self, lm_id: str) -> None:
        """Forget a learning module."""
        self._known.pop(lm_id, None)

    def held(self) -> Iterator[Held]:
        """Yield the memory of each graph, and of the table that they are stacked in."""
        owners: dict[Graph, list[GraphKey]] = {}
        for known in self._known.values():
            for key, stored in known.stored.items():
                owners.setdefault(stored.graph, []).append(key)
        made_by = name_of(make_graph)
        for graph, keys in owners.items():
            lms = {key.learning_module for key in keys}
            owner = lms.pop() if len(lms) == 1 else None
            reason = "checked nodes, to be stacked again if another graph changes"
            if owner is None:
                reason += f"; shared by {len(lms)} learning modules"
            nbytes, name = graph.nbytes(), keys[0].graph
            yield Held(HOST, "graphs", nbytes, made_by, reason, owner, name)
        if owners:
            reason = "what hypotheses are matched with, until a graph changes"
            nbytes, made_by = self.graphs.nbytes(), name_of(GraphTable.__init__)
            yield Held(HOST, "graphs", nbytes, made_by, reason)

    def _refreshed(self, update: EvidenceUpdate) -> _Known:
        """Return what is known of a learning module, with its graphs as they are."""
        sensed, radius = [*update.percepts], update.settings["max_match_distance"]
        revision = update.graphs.revision
        made_from = (*update.graph_ids,), (*sensed,), radius, revision
        known = self._known.get(update.lm_id)
        if known is not None and known.made_from == made_from:
            return known
        channels, stored = [], {}
        for graph_id in update.graph_ids:
            of_graph = update.graphs.channels(graph_id)
            usable = [channel for channel in sensed if channel in of_graph]
            channels.append(usable)
            for channel in usable:
                key = GraphKey(update.lm_id, graph_id, channel)
                before = None if known is None else known.stored.get(key)
                stored[key] = self._checked.stored(key, radius, update.graphs, before)
        return _Known(made_from, channels, stored)

    def _plan(self, lm_id: str, known: _Known) -> LMPlan:
        table = self.graphs
        if known.plan is None or known.table != table.revision:
            known.plan, known.table = _make(lm_id, known, table), table.revision
        return known.plan


def _updated(graph_ids: Sequence[str], channels: Sequence[Sequence[str]]) -> list[str]:
    return [one for one, of in zip(graph_ids, channels, strict=True) if of]


def _make(lm_id: str, known: _Known, table: GraphTable) -> LMPlan:
    graph_ids: Sequence[str] = known.made_from[0]  # type: ignore[index]
    channels = known.channels
    updated = _updated(graph_ids, channels)
    graphs, queries = [], []
    query_index: dict[QueryKey, int] = {}
    for key, stored in known.stored.items():
        graph = table.index(key)
        columns = int(table.arrays.feature_columns[graph])
        query = QueryKey(key.channel, stored.features, columns)
        graphs.append(graph)
        queries.append(query_index.setdefault(query, len(query_index)))
    return LMPlan(
        graph_ids=updated,
        left_out=[one for one, of in zip(graph_ids, channels, strict=True) if not of],
        keys=[SegmentKey(lm_id, graph_id) for graph_id in updated],
        channels=[of_graph for of_graph in channels if of_graph],
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
    return JointPlan(
        plans=plans,
        keys=[key for plan in plans for key in plan.keys],
        positions=[range(end - sizes[i], end) for i, end in enumerate(ends)],
        owners=np.repeat(np.arange(len(plans)), sizes),
        match_starts=starts_of(counts),
        match_positions=np.repeat(np.arange(len(counts)), counts),
        match_graphs=np.concatenate([none, *(plan.graphs for plan in plans)]),
        match_queries=np.concatenate(
            [none, *(p.queries + query_starts[i] for i, p in enumerate(plans))]
        ),
        asked=[(i, key) for i, plan in enumerate(plans) for key in plan.query_keys],
    )
