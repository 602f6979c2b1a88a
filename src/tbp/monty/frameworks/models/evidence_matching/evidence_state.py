# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The state that a learning module's evidence update reads and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, MutableMapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import (
    EvidenceHistory,
    HypothesisRows,
    Nodes,
    Percept,
)
from tbp.monty.frameworks.models.evidence_matching.evidence_slope_tracker import (
    EvidenceSlopeTracker,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.utils.graph_matching_utils import get_relevant_curvature

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
        BurstSamplingHypothesesUpdater,
    )
    from tbp.monty.frameworks.models.evidence_matching.graph_memory import (
        EvidenceGraphMemory,
    )
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = ["LMEvidenceState"]


class LMEvidenceState:
    """The state of an `EvidenceGraphLM`, on one step."""

    def __init__(
        self, lm: EvidenceGraphLM, features: Mapping[str, Mapping[str, Any]]
    ) -> None:
        self._lm = lm
        self._memory: EvidenceGraphMemory = lm.graph_memory  # type: ignore[assignment]
        self._features = features
        self.evidence_threshold_config = lm.evidence_threshold_config
        self.x_percent_threshold = lm.x_percent_threshold

    @property
    def most_likely_evidence(self) -> float:
        return self._lm.current_mlh["evidence"]

    @property
    def hypotheses(self) -> Mapping[str, Hypotheses]:
        return self._lm._hypotheses

    @property
    def initialized_channels(self) -> MutableMapping[str, set[str]]:
        updater: Any = self._lm.hypotheses_updater
        return updater._initialized_channels

    def percept(self, channel: str) -> Percept:
        features = self._features[channel]
        pose_vectors = features["pose_vectors"]
        curvature = features.get("principal_curvatures_log")
        if curvature is None:
            curvature = get_relevant_curvature(features)
        return Percept(
            # Releases before 0.55 have the array itself.
            pose_vectors=getattr(pose_vectors, "value", pose_vectors),
            pose_fully_defined=features.get("pose_fully_defined", True),
            curvature=curvature,
            features=features,
        )

    def channels(self, graph_id: str) -> Sequence[str]:
        return self._memory.get_input_channels_in_graph(graph_id)

    def version(self, graph_id: str, channel: str) -> Sequence[object]:
        model = self._memory.get_graph(graph_id, channel)
        feature_array = self._memory.get_feature_array(graph_id)[channel]
        return model, getattr(model, "_graph", None), feature_array

    def nodes(self, graph_id: str, channel: str) -> Nodes:
        memory = self._memory
        pose_fully_defined = memory.get_features_at_node(
            graph_id,
            channel,
            memory.get_graph_node_ids(graph_id, channel),
            feature_keys=["pose_fully_defined"],
        )["pose_fully_defined"]
        return Nodes(
            locations=_floats(memory.get_locations_in_graph(graph_id, channel)),
            pose_vectors=_floats(
                memory.get_rotation_features_at_all_nodes(graph_id, channel)
            ),
            pose_fully_defined=np.asarray(pose_fully_defined).reshape(-1) != 0,
            features=_floats(memory.get_feature_array(graph_id)[channel]),
            feature_order=memory.get_feature_order(graph_id)[channel],
        )

    def keep_hypotheses(self, graph_id: str, rows: HypothesisRows) -> None:
        self._lm._hypotheses[graph_id] = Hypotheses(**vars(rows))

    def keep_telemetry(self, telemetry: Mapping[str, Any]) -> None:
        self._lm.hypotheses_updater_telemetry.update(telemetry)

    def keep_history(self, graph_id: str, history: EvidenceHistory) -> None:
        tracker = EvidenceSlopeTracker(window_size=history.window.shape[1])
        tracker._evidence_buffer = np.array(history.window)
        tracker._hyp_age = np.array(history.ages, dtype=int)
        tracker._channels_buffer = np.array(history.channels, dtype=np.float64)
        self._burst_sampling.evidence_slope_trackers[graph_id] = tracker

    def history(self, graph_id: str) -> EvidenceHistory | None:
        tracker = self._burst_sampling.evidence_slope_trackers.get(graph_id)
        # A backend that keeps past evidence itself puts its own object there.
        if not isinstance(tracker, EvidenceSlopeTracker):
            return None
        return EvidenceHistory(
            window=tracker._evidence_buffer,
            ages=tracker._hyp_age,
            channels=tracker._channels_buffer,
        )

    def burst(self) -> tuple[bool, float]:
        updater = self._burst_sampling
        return updater.sampling_burst_steps > 0, updater.max_slope

    @property
    def _burst_sampling(self) -> BurstSamplingHypothesesUpdater:
        return self._lm.hypotheses_updater  # type: ignore[return-value]


def _floats(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    # Learned models may have single precision.
    return np.asarray(values, dtype=np.float64)
