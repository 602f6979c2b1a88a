# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What the evidence update of a learning module reads and writes, for its backend."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Mapping, MutableMapping, Sequence

import numpy as np

from tbp.monty.backends.work import EvidenceHistory, Nodes, Percept
from tbp.monty.frameworks.models.evidence_matching.evidence_slope_tracker import (
    EvidenceSlopeTracker,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.utils.graph_matching_utils import get_relevant_curvature

if TYPE_CHECKING:
    from tbp.monty.backends.resident import ResidentRows
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = ["LMEvidenceState", "ResidentHypotheses"]


def _column(name: str) -> property:
    def read(self: ResidentHypotheses):
        return self._rows.read(name)

    def write(self: ResidentHypotheses, values) -> None:
        self._rows.write(name, values)

    return property(read, write)


class ResidentHypotheses(Hypotheses):
    """Hypotheses of which a backend holds the arrays.

    They are copied when they are read, and taken over by the backend before its next
    update. A copy or a pickle of it is of the plain kind.
    """

    evidence = _column("evidence")
    locations = _column("locations")
    poses = _column("poses")
    possible = _column("possible")

    def __init__(self, rows: ResidentRows) -> None:
        self._rows = rows

    def __reduce__(self):
        arrays = (self.evidence, self.locations, self.poses, self.possible)
        return Hypotheses, arrays


class LMEvidenceState:
    """The state of an `EvidenceGraphLM`, on one step."""

    def __init__(
        self, lm: EvidenceGraphLM, features: Mapping[str, Mapping[str, Any]]
    ) -> None:
        self._lm = lm
        self._memory = lm.graph_memory
        self._updater = lm.hypotheses_updater
        self._features = features
        self._percepts: dict[str, Percept] = {}
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
        return self._updater._initialized_channels

    def percept(self, channel: str) -> Percept:
        if channel not in self._percepts:
            features = self._features[channel]
            self._percepts[channel] = Percept(
                pose_vectors=features["pose_vectors"].value,
                pose_fully_defined=features.get("pose_fully_defined", True),
                curvature=get_relevant_curvature(features),
                features=features,
            )
        return self._percepts[channel]

    def channels(self, graph_id: str) -> Sequence[str]:
        return self._memory.get_input_channels_in_graph(graph_id)

    def version(self, graph_id: str, channel: str) -> Sequence[object]:
        model = self._memory.get_graph(graph_id, channel)
        feature_array = self._memory.get_feature_array(graph_id)[channel]
        return model, getattr(model, "_graph", None), feature_array

    def versions(self, graph_ids: Sequence[str]) -> Sequence[object]:
        # Asked for on every step, of all graphs: hence without a loop over them.
        models_of_graphs = self._memory.models_in_memory
        arrays_of_graphs = self._memory.feature_array
        channels = list(map(models_of_graphs.__getitem__, graph_ids))
        models = list(chain.from_iterable(map(dict.values, channels)))
        arrays = map(dict.values, map(arrays_of_graphs.__getitem__, graph_ids))
        return [
            *graph_ids,
            *chain.from_iterable(channels),
            *models,
            *map(getattr, models, repeat("_graph"), repeat(None)),
            *chain.from_iterable(arrays),
        ]

    def nodes(self, graph_id: str, channel: str) -> Nodes:
        memory = self._memory
        pose_fully_defined = memory.get_features_at_node(
            graph_id,
            channel,
            memory.get_graph_node_ids(graph_id, channel),
            feature_keys=["pose_fully_defined"],
        )["pose_fully_defined"]
        return Nodes(
            locations=np.asarray(memory.get_locations_in_graph(graph_id, channel)),
            pose_vectors=np.asarray(
                memory.get_rotation_features_at_all_nodes(graph_id, channel)
            ),
            pose_fully_defined=np.asarray(pose_fully_defined).reshape(-1) != 0,
            features=np.asarray(memory.get_feature_array(graph_id)[channel]),
            feature_order=memory.get_feature_order(graph_id)[channel],
        )

    def keep_hypotheses(self, graph_id: str, rows: ResidentRows) -> Hypotheses:
        kept = ResidentHypotheses(rows)
        self._lm._hypotheses[graph_id] = kept
        return kept

    def keep_telemetry(self, telemetry: Mapping[str, Any]) -> None:
        self._lm.hypotheses_updater_telemetry.update(telemetry)

    def keep_tracker(self, graph_id: str, tracker: Any) -> None:
        self._updater.evidence_slope_trackers[graph_id] = tracker

    def keep_history(self, graph_id: str, history: EvidenceHistory) -> None:
        tracker = EvidenceSlopeTracker(window_size=history.window.shape[1])
        tracker._evidence_buffer = np.array(history.window)
        tracker._hyp_age = np.array(history.ages, dtype=int)
        tracker._channels_buffer = np.array(history.channels, dtype=np.float64)
        self._updater.evidence_slope_trackers[graph_id] = tracker

    def history(self, graph_id: str) -> EvidenceHistory | None:
        trackers = getattr(self._updater, "evidence_slope_trackers", {})
        tracker = trackers.get(graph_id)
        if not isinstance(tracker, EvidenceSlopeTracker):
            return None
        return EvidenceHistory(
            window=tracker._evidence_buffer,
            ages=tracker._hyp_age,
            channels=tracker._channels_buffer,
        )

    def burst(self) -> tuple[bool, float]:
        return self._updater.sampling_burst_steps > 0, self._updater.max_slope
