# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Keeps the feature arrays of graphs for as long as the graphs stay as they are."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Callable, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.graph_matching import GraphMemory

    _GetAllNodeFeatures = Callable[[GraphMemory, str, str], tuple[np.ndarray, list]]

__all__ = ["reused_while_unchanged"]


class _Known(NamedTuple):
    made_from: tuple
    result: tuple[np.ndarray, list]


def reused_while_unchanged(get_all_node_features: _GetAllNodeFeatures):
    """Let a graph memory collect the features of all nodes only when they are others.

    It does so node by node, for every graph at the start of every episode, and most
    episodes leave memory as it is. What they are is compared, not who they are: a
    graph may have been changed in place.
    """

    @functools.wraps(get_all_node_features)
    def reusing(self: GraphMemory, graph_id: str, input_channel: str):
        if type(self).get_features_at_node.__module__ != reusing.__module__:
            # Where a subclass has its features from, nobody here can tell.
            return get_all_node_features(self, graph_id, input_channel)
        all_known = self.__dict__.setdefault("_known_node_features", {})
        made_from = _content(self, graph_id, input_channel)
        known = all_known.get((graph_id, input_channel))
        if known is None or known.made_from != made_from:
            result = get_all_node_features(self, graph_id, input_channel)
            known = _Known(made_from, result)
            all_known[graph_id, input_channel] = known
        return known.result

    return reusing


def _content(memory: GraphMemory, graph_id: str, input_channel: str) -> tuple:
    """Return everything that the features of all nodes are made from."""
    graph = memory.get_graph(graph_id, input_channel)
    features = list(memory.features_to_use[input_channel])
    values = np.asarray(graph.x)
    columns = [tuple(graph.feature_mapping[feature]) for feature in features]
    return (features, columns, values.dtype, values.shape, values.tobytes())
