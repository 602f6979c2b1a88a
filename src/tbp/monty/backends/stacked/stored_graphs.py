# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Stored graphs, checked and sorted into cells once for all learning modules."""

from __future__ import annotations

import hashlib
import weakref
from typing import Hashable, MutableMapping, NamedTuple

import numpy as np

from tbp.monty.backends.described_work import Graphs, Nodes
from tbp.monty.backends.numpy.features import WITHOUT_COLUMNS
from tbp.monty.backends.tables.graphs import Graph, make_graph

__all__ = ["CheckedGraphs", "GraphKey", "StoredGraph"]


class GraphKey(NamedTuple):
    """Whose graph it is."""

    learning_module: str
    graph: str
    channel: str


class StoredGraph(NamedTuple):
    """A graph as it is stored.

    Attributes:
        revision: The revision of its nodes.
        features: The features that have columns, in their order.
        graph: Its nodes, checked and in cells.
    """

    revision: int
    features: tuple[str, ...]
    graph: Graph


class CheckedGraphs:
    """Makes graphs; learning modules that have learned the same share one."""

    def __init__(self) -> None:
        self._by_contents: MutableMapping[Hashable, Graph] = (
            weakref.WeakValueDictionary()
        )

    def stored(
        self, key: GraphKey, radius: float, graphs: Graphs, before: StoredGraph | None
    ) -> StoredGraph:
        """Return a graph as it is stored.

        Args:
            key: Whose graph.
            radius: How far a node may be to match.
            graphs: Where it is stored.
            before: What this has returned before.
        """
        revision = graphs.graph_revision(key.graph, key.channel)
        if (
            before is not None
            and before.revision == revision
            and before.graph.radius == radius
        ):
            return before
        nodes = graphs.nodes(key.graph, key.channel)
        contents = radius, nodes.features.shape, _digest(nodes)
        graph = self._by_contents.get(contents)
        if graph is None:
            graph = self._by_contents[contents] = make_graph(
                f"{key.graph} of {key.learning_module}, {key.channel}",
                nodes.locations,
                nodes.pose_vectors,
                nodes.pose_fully_defined,
                nodes.features,
                radius,
            )
        order = nodes.feature_order
        features = tuple(name for name in order if name not in WITHOUT_COLUMNS)
        return StoredGraph(revision, features, graph)


def _digest(nodes: Nodes) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for array in nodes[:4]:
        digest.update(np.ascontiguousarray(array).data)
    return digest.digest()
