# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The state of a random learning module, as a backend sees it."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, Mapping, Sequence

from tbp.monty.backends.described_work import (
    DescribedWork,
    EvidenceHistory,
    HypothesisRows,
    Nodes,
    Percept,
    UpdaterDescription,
)
from tests.backends.numpy.scenes import Scene

__all__ = ["SceneState", "settings_of", "work_of"]


class SceneState:
    """An `EvidenceState` that keeps everything where a test can look at it."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.evidence_threshold_config: float | str = "all"
        self.x_percent_threshold = 10.0
        self.most_likely_evidence = 0.0
        self.hypotheses: dict[str, HypothesisRows] = {}
        self.initialized_channels: dict[str, set[str]] = {}
        self.telemetry: dict[str, Mapping[str, Any]] = {}
        self.histories: dict[str, EvidenceHistory] = {}
        self.is_sampling = False
        self.highest_slope = 0.0
        self.collected: list[tuple[str, str]] = []
        """The graphs and channels whose nodes were asked for."""

    def percept(self, channel: str) -> Percept:
        sensed = self.scene.sensed[channel]
        return Percept(
            pose_vectors=sensed["pose_vectors"],
            pose_fully_defined=sensed["pose_fully_defined"],
            curvature=sensed["curvature"],
            features=sensed,
        )

    def channels(self, graph_id: str) -> Sequence[str]:
        return [channel for graph, channel in self.scene.nodes if graph == graph_id]

    def version(self, graph_id: str, channel: str) -> Sequence[object]:
        return (self.scene.nodes[graph_id, channel],)

    def nodes(self, graph_id: str, channel: str) -> Nodes:
        self.collected.append((graph_id, channel))
        nodes = self.scene.nodes[graph_id, channel]
        return Nodes(
            locations=nodes.locations,
            pose_vectors=nodes.pose_vectors.reshape(-1, 3, 3),
            pose_fully_defined=nodes.pose_fully_defined[:, 0] != 0,
            features=nodes.features,
            feature_order=self.scene.order[channel],
        )

    def keep_hypotheses(self, graph_id: str, rows: HypothesisRows) -> None:
        self.hypotheses[graph_id] = rows

    def keep_telemetry(self, telemetry: Mapping[str, Mapping[str, Any]]) -> None:
        self.telemetry.update(telemetry)

    def history(self, graph_id: str) -> EvidenceHistory | None:
        return self.histories.get(graph_id)

    def keep_history(self, graph_id: str, history: EvidenceHistory) -> None:
        self.histories[graph_id] = history

    def burst(self) -> tuple[bool, float]:
        return self.is_sampling, self.highest_slope


def settings_of(scene: Scene) -> dict[str, Any]:
    """Return the settings that updaters of both kinds have."""
    return dict(
        initial_possible_poses=None,
        umbilical_num_poses=8,
        max_match_distance=scene.radius,
        max_nneighbors=scene.neighbors,
        past_weight=scene.past_weight,
        present_weight=scene.present_weight,
        feature_weights=scene.weights,
        tolerances=scene.tolerances,
        feature_evidence_increment=scene.increment,
        use_features_for_matching={
            channel: bool(order) for channel, order in scene.order.items()
        },
    )


def work_of(
    state: SceneState,
    updater: UpdaterDescription | str,
    displacement: Any = None,
    channels: Sequence[str] | None = None,
) -> DescribedWork:
    """Return the update of all graphs of a scene.

    Args:
        state: The state of the learning module.
        updater: How to update.
        displacement: How the sensor has moved.
        channels: The channels that sense something; all of them by default.
    """
    scene = state.scene
    sensed = scene.sensed if channels is None else channels
    return DescribedWork(
        lm_id=scene.name,
        graph_ids=sorted({graph for graph, _ in scene.nodes}),
        update_graph=lambda _: None,
        in_threads=False,
        context=nullcontext(),
        features={channel: scene.sensed[channel] for channel in sensed},
        displacement=displacement,
        updater=updater,
        state=state,
    )
