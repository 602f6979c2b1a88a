# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A learning module's state on a step, for tests of updates as data."""

from __future__ import annotations

import itertools
from typing import Any, Sequence

from tbp.monty.backends.described_work import (
    DescribedOutcome,
    DescribedWork,
    EvidenceHistory,
    EvidenceUpdate,
    HypothesisRows,
    Nodes,
    Percept,
)
from tests.backends.numpy.scenes import Scene

__all__ = ["SceneState", "settings_of", "update_of", "work_of"]

_revisions = itertools.count()


class SceneState:
    """Keeps everything where a test can look at it; has the graphs."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.evidence_threshold_config: float | str = "all"
        self.x_percent_threshold = 10.0
        self.most_likely_evidence = 0.0
        self.hypotheses: dict[str, Any] = {}
        self.initialized_channels: dict[str, set[str]] = {}
        self.telemetry: dict[str, Any] = {}
        self.trackers: dict[str, Any] = {}
        self.is_sampling = False
        self.highest_slope = 0.0
        self.revision = next(_revisions)
        self.collected: list[tuple[str, str]] = []
        """The graphs and channels whose nodes were asked for."""

    def learn(self) -> None:
        """Tell that graphs have changed."""
        self.revision = next(_revisions)

    def channels(self, graph_id: str) -> Sequence[str]:
        return [channel for graph, channel in self.scene.nodes if graph == graph_id]

    def graph_revision(self, graph_id: str, channel: str) -> int:  # noqa: ARG002
        return self.revision

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

    def take(self, outcome: DescribedOutcome) -> None:
        """Keep the outcome of an update."""
        self.hypotheses.update(outcome.hypotheses)
        self.telemetry.update(outcome.telemetry)
        self.initialized_channels.update(outcome.initialized_channels)
        self.trackers.update(outcome.trackers)

    @property
    def histories(self) -> dict[str, EvidenceHistory]:
        return {graph: one.history() for graph, one in self.trackers.items()}

    def rows(self, graph_id: str) -> HypothesisRows:
        """Return the hypotheses of a graph."""
        return self.hypotheses[graph_id]


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


def update_of(
    state: SceneState,
    kind: str,
    settings: dict[str, Any],
    displacement: Any = None,
    channels: Sequence[str] | None = None,
) -> EvidenceUpdate:
    """Return the update of all graphs of a scene.

    Args:
        state: The state of the learning module.
        kind: The kind of updater.
        settings: Its settings.
        displacement: How the sensor has moved.
        channels: The channels that sense something; all of them by default.
    """
    scene = state.scene
    parts = ("pose_vectors", "pose_fully_defined", "curvature")
    return EvidenceUpdate(
        lm_id=scene.name,
        kind=kind,
        settings=settings,
        graph_ids=sorted({graph for graph, _ in scene.nodes}),
        hypotheses=state.hypotheses,
        displacement=displacement,
        percepts={
            channel: Percept(
                *(scene.sensed[channel][part] for part in parts),
                features=scene.sensed[channel],
            )
            for channel in (scene.sensed if channels is None else channels)
        },
        graphs=state,
        evidence_threshold_config=state.evidence_threshold_config,
        x_percent_threshold=state.x_percent_threshold,
        most_likely_evidence=state.most_likely_evidence,
        initialized_channels=state.initialized_channels,
        trackers=state.trackers,
        is_sampling=state.is_sampling,
        max_slope=state.highest_slope,
    )


def work_of(update: EvidenceUpdate) -> DescribedWork:
    """Return the work of an update."""

    def run_itself() -> Any:
        raise AssertionError(f"{update.lm_id} was not updated by the backend")

    return DescribedWork(update.lm_id, run_itself, describe=lambda: update)
