# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Collects the features of all nodes of a graph at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.graph_matching import GraphMemory

__all__ = ["collect_node_features"]

_POSE = ("pose_vectors", "pose_fully_defined")


def collect_node_features(
    memory: GraphMemory,
    graph_id: str,
    input_channel: str,
    node_ids: npt.NDArray[np.int_],
    array: npt.NDArray[np.float64],
) -> list[str]:
    """Write the features of nodes, except those of the pose, into an array.

    An override of `get_features_at_node` is asked for one node after the other, because
    it may know only single nodes.

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
    for nodes in node_ids if _has_features_of_its_own(memory) else [node_ids]:
        features = memory.get_features_at_node(graph_id, input_channel, nodes)
        names = [name for name in features if name not in _POSE]
        if names:
            array[nodes] = np.concatenate([features[name] for name in names], axis=-1)
    return names


def _has_features_of_its_own(memory: GraphMemory) -> bool:
    # Imported here, because that module imports this one.
    from tbp.monty.frameworks.models.graph_matching import (  # noqa: PLC0415
        GraphMemory,
    )

    own = getattr(memory.get_features_at_node, "__func__", None)
    return own is not GraphMemory.get_features_at_node
