# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Makes the feature arrays of graphs, once until the graphs change."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.graph_matching import GraphMemory

    _Features = tuple[npt.NDArray[np.float64], list[str]]
    _GetAllNodeFeatures = Callable[[GraphMemory, str, str], _Features]

__all__ = ["collect_node_features", "reused_while_unchanged"]

_POSE = ("pose_vectors", "pose_fully_defined")


class _Known(NamedTuple):
    model: object
    graph: object
    features: list[str]
    result: _Features


def reused_while_unchanged(
    get_all_node_features: _GetAllNodeFeatures,
) -> _GetAllNodeFeatures:
    """Make a graph memory collect the features of all nodes once per graph.

    Without this it collects them for every graph at the start of every episode, and
    most episodes do not change memory. Learning replaces a whole graph,
    so the cache compares graphs by identity. Code that writes into a graph's arrays
    must set the graph again, with `set_graph`.
    """

    @functools.wraps(get_all_node_features)
    def reusing(self: GraphMemory, graph_id: str, input_channel: str) -> _Features:
        if _has_features_of_its_own(type(self)):
            # We cannot tell when they change.
            return get_all_node_features(self, graph_id, input_channel)
        all_known = self.__dict__.setdefault("_known_node_features", {})
        model = self.get_graph(graph_id, input_channel)
        made_from = model, getattr(model, "_graph", None)
        # Learning modules set it; the class does not declare it.
        of_channels = self.features_to_use  # type: ignore[attr-defined]
        features = list(of_channels[input_channel])
        known = all_known.get((graph_id, input_channel))
        if (
            known is None
            or not all(map(operator.is_, known[:2], made_from))
            or known.features != features
        ):
            result = get_all_node_features(self, graph_id, input_channel)
            known = _Known(*made_from, features, result)
            all_known[graph_id, input_channel] = known
        return known.result

    return reusing


def collect_node_features(
    memory: GraphMemory,
    graph_id: str,
    input_channel: str,
    node_ids: npt.NDArray[np.int_],
    array: npt.NDArray[np.float64],
) -> list[str]:
    """Write the features of nodes, except those of the pose, into an array.

    Args:
        memory: The memory that has the graph.
        graph_id: The graph.
        input_channel: The input channel.
        node_ids: The nodes.
        array: Has a row for each node.

    Returns:
        The names of the features, in the order of their columns.
    """
    names: list[str] = []
    together: Any = [node_ids] if len(node_ids) else []
    if _has_features_of_its_own(type(memory)):
        # It may know only single nodes.
        together = node_ids
    for nodes in together:
        features = memory.get_features_at_node(graph_id, input_channel, nodes)
        of_surface = [one for one in features if one not in _POSE]
        names = names or of_surface
        start = 0
        for name in of_surface:
            end = start + np.shape(features[name])[-1]
            array[nodes, start:end] = features[name]
            start = end
    return names


def _has_features_of_its_own(memory_class: type[GraphMemory]) -> bool:
    # Imported here, because that module imports this one.
    from tbp.monty.frameworks.models.graph_matching import (  # noqa: PLC0415
        GraphMemory,
    )

    return memory_class.get_features_at_node is not GraphMemory.get_features_at_node
