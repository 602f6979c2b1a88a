# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The same learning modules, as upstream's own code expects them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import KDTree

from tbp.monty import geometry
from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.frameworks.models.evidence_matching.feature_evidence.scorer import (
    DefaultFeatureEvidenceScorer,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.hypotheses_displacer import (
    DefaultHypothesesDisplacer,
)
from tests.backends.numpy.scenes import Scene

__all__ = [
    "SceneMemory",
    "displacer_of",
    "hypotheses_of",
    "pose_vectors_of",
    "sensed_features",
]

# Earlier releases take the array itself.
pose_vectors_of: Any = getattr(geometry, "SurfacePoseVectors", np.asarray)


class SceneMemory:
    """Upstream's graph memory, as far as its code uses it, made from a scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._models = {
            key: _Model(nodes.locations) for key, nodes in scene.nodes.items()
        }

    def get_input_channels_in_graph(self, graph_id):
        return [channel for graph, channel in self._scene.nodes if graph == graph_id]

    def get_locations_in_graph(self, graph_id, input_channel):
        return self._scene.nodes[graph_id, input_channel].locations

    def get_graph(self, graph_id, input_channel):
        return self._models[graph_id, input_channel]

    def get_features_at_node(self, graph_id, input_channel, node_id, feature_keys):
        nodes = self._scene.nodes[graph_id, input_channel]
        return {key: getattr(nodes, key)[node_id] for key in feature_keys}

    def get_rotation_features_at_all_nodes(self, graph_id, input_channel):
        frames = self._scene.nodes[graph_id, input_channel].pose_vectors
        return frames.reshape(-1, 3, 3)

    def get_feature_array(self, graph_id):
        return {
            channel: nodes.features
            for (graph, channel), nodes in self._scene.nodes.items()
            if graph == graph_id
        }

    def get_feature_order(self, graph_id):  # noqa: ARG002
        return self._scene.order


class _Model:
    def __init__(self, locations: np.ndarray) -> None:
        self._tree = KDTree(locations, leafsize=40)

    def find_nearest_neighbors(self, search_locations, num_neighbors):
        return self._tree.query(search_locations, k=num_neighbors)[1]


def sensed_features(scene: Scene) -> dict:
    return {
        channel: {
            **{name: sensed[name] for name in scene.order[channel]},
            "pose_vectors": pose_vectors_of(sensed["pose_vectors"]),
            "pose_fully_defined": sensed["pose_fully_defined"],
        }
        for channel, sensed in scene.sensed.items()
    }


def displacer_of(scene: Scene) -> DefaultHypothesesDisplacer:
    memory: Any = SceneMemory(scene)
    increment: Any = scene.increment  # annotated as an int, but may be a float
    return DefaultHypothesesDisplacer(
        feature_weights=scene.weights,
        graph_memory=memory,
        max_match_distance=scene.radius,
        feature_evidence_scorer=DefaultFeatureEvidenceScorer(
            graph_memory=memory,
            feature_weights=scene.weights,
            tolerances=scene.tolerances,
            feature_evidence_increment=increment,
        ),
        max_nneighbors=scene.neighbors,
        past_weight=scene.past_weight,
        present_weight=scene.present_weight,
    )


def hypotheses_of(rows: HypothesisRows) -> Hypotheses:
    return Hypotheses(
        evidence=rows.evidence.copy(),
        locations=rows.locations.copy(),
        poses=rows.poses.copy(),
        possible=rows.possible.copy(),
    )
