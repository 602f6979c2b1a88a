# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Caches the stacked graphs of all learning modules until one changes."""

from __future__ import annotations

import operator
import weakref
from dataclasses import dataclass
from typing import Hashable, Iterator, MutableMapping, NamedTuple, Sequence

from tbp.monty.backends.described_work import EvidenceState, Nodes
from tbp.monty.backends.numpy.features import WITHOUT_COLUMNS
from tbp.monty.backends.tables.graphs import Graph, GraphTable, make_graph
from tbp.monty.backends.tables.held import HOST, Held, name_of

__all__ = ["GraphCache", "GraphKey"]


class GraphKey(NamedTuple):
    """Whose graph it is."""

    learning_module: str
    graph: str
    channel: str


@dataclass(frozen=True, eq=False)
class _Known:
    version: Sequence[object]
    radius: float
    features: tuple[str, ...]
    graph: Graph


class GraphCache:
    """A table of graphs that is made again only when one of them has changed."""

    def __init__(self) -> None:
        self._known: dict[GraphKey, _Known] = {}
        self._by_version: MutableMapping[Hashable, _Known] = (
            weakref.WeakValueDictionary()
        )
        """Learning modules may share a memory. Ids are not reused: what is known of a
        version holds its objects."""
        self._by_outline: MutableMapping[Hashable, Graph] = (
            weakref.WeakValueDictionary()
        )
        """Many learning modules may have learned the same: to sort nodes into cells
        takes a hundred times longer than to compare them."""
        self._table: GraphTable | None = None
        self.tables_made = 0

    @property
    def table(self) -> GraphTable:
        if self._table is None:
            graphs: dict[Hashable, Graph] = {
                key: known.graph for key, known in self._known.items()
            }
            self._table = GraphTable(graphs)
            self.tables_made += 1
        return self._table

    def refresh(self, key: GraphKey, radius: float, state: EvidenceState) -> None:
        """Update a graph if the stored one has changed.

        Args:
            key: Whose graph.
            radius: How far a node may be to match.
            state: Where it is stored.
        """
        version = state.version(key.graph, key.channel)
        known = self._known.get(key)
        if (
            known is not None
            and known.radius == radius
            and _same_objects(known.version, version)
        ):
            return
        identity = (radius, *map(id, version))
        known = self._by_version.get(identity)
        if known is None:
            known = self._make(key, version, radius, state)
            self._by_version[identity] = known
        self._known[key] = known
        self._table = None

    def _make(
        self,
        key: GraphKey,
        version: Sequence[object],
        radius: float,
        state: EvidenceState,
    ) -> _Known:
        nodes = state.nodes(key.graph, key.channel)
        first = nodes.locations[:1].tobytes()
        outline = radius, nodes.locations.shape, nodes.features.shape, first
        graph = self._by_outline.get(outline)
        if graph is None or not _is_made_of(graph, nodes):
            graph = self._by_outline[outline] = make_graph(
                f"{key.graph} of {key.learning_module}, {key.channel}",
                nodes.locations,
                nodes.pose_vectors,
                nodes.pose_fully_defined,
                nodes.features,
                radius,
            )
        order = nodes.feature_order
        features = tuple(name for name in order if name not in WITHOUT_COLUMNS)
        return _Known(version, radius, features, graph)

    def features(self, key: GraphKey) -> tuple[str, ...]:
        """Return the features of a graph that have columns, in their order."""
        return self._known[key].features

    def held(self) -> Iterator[Held]:
        """Yield the memory of each graph, and of the table that they are stacked in."""
        owners: dict[int, list[GraphKey]] = {}
        for key, known in self._known.items():
            owners.setdefault(id(known.graph), []).append(key)
        graphs = {id(known.graph): known.graph for known in self._known.values()}
        made_by = name_of(make_graph)
        for identity, graph in graphs.items():
            lms = {key.learning_module for key in owners[identity]}
            owner = lms.pop() if len(lms) == 1 else None
            name = owners[identity][0].graph
            reason = "checked nodes, to be stacked again if another graph changes"
            if owner is None:
                reason += f"; shared by {len(lms)} learning modules"
            yield Held(HOST, "graphs", graph.nbytes(), made_by, reason, owner, name)
        if self._table is not None:
            reason = "what hypotheses are matched with, until a graph changes"
            nbytes, made_by = self._table.nbytes(), name_of(GraphTable.__init__)
            yield Held(HOST, "graphs", nbytes, made_by, reason)

    def clear(self) -> None:
        self._known.clear()
        self._table = None


def _same_objects(some: Sequence[object], others: Sequence[object]) -> bool:
    """Return whether the objects are the same ones, in the same order."""
    return len(some) == len(others) and all(map(operator.is_, some, others))


def _is_made_of(graph: Graph, nodes: Nodes) -> bool:
    """Return whether a graph of the same outline has these nodes, bit for bit."""
    return (
        graph.locations.tobytes() == nodes.locations.tobytes()
        and graph.pose_vectors.tobytes() == nodes.pose_vectors.tobytes()
        and graph.pose_fully_defined.tobytes() == nodes.pose_fully_defined.tobytes()
        and graph.features.tobytes() == nodes.features.tobytes()
    )
