# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Learning modules without a Monty, made from scenes, for tests of backends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from tbp.monty.backends.described_work import (
    DescribedWork,
    EvidenceHistory,
    Nodes,
    Percept,
    UpdaterDescription,
)
from tbp.monty.backends.stacked.resident_rows import ResidentRows
from tests.backends.numpy.scene_state import settings_of
from tests.backends.scenes import random_frames, random_scene

__all__ = ["COLUMNS", "SceneLM"]

COLUMNS = ("evidence", "locations", "poses", "possible")
SAMPLING_STEPS = (0, 1, 4)


class SceneLM:
    """A learning module that starts without hypotheses; it is its own state."""

    evidence_threshold_config = "all"
    x_percent_threshold = 20.0
    most_likely_evidence = 0.0
    rows_class = ResidentRows

    def __init__(self, number: int, kind: str) -> None:
        """Make a learning module.

        Args:
            number: Its number, which is also the seed of its random numbers.
            kind: The kind of its updater.
        """
        self.lm_id = f"LM_{number}"
        self._random = np.random.default_rng(number)
        # Small, as kernels for a GPU are slow on a CPU.
        self._scene = random_scene(
            number, self.lm_id, nodes=12, channels=1 + number % 2, hypotheses=0
        )
        self._kind = kind
        self._steps = 0
        self.hypotheses: dict[str, Any] = {}
        self.initialized_channels: dict[str, set[str]] = {}
        self.telemetry: dict[str, Any] = {}
        self.trackers: dict[str, Any] = {}

    def next_work(self) -> DescribedWork:
        """Sense something else, and return the work of that step."""
        scene, random = self._scene, self._random
        moved = random.normal(size=3) * 0.004 if self._steps else None
        for sensed in scene.sensed.values():
            sensed["pose_vectors"] = random_frames(random, 1)[0]
            sensed["hsv"] = random.random(3)
        self._steps += 1
        return DescribedWork(
            lm_id=self.lm_id,
            graph_ids=list(scene.hypotheses),
            update_graph=self._update_graph,
            in_threads=False,
            context=nullcontext(),
            features=scene.sensed,
            displacement=moved,
            updater=UpdaterDescription(self._kind, self._settings),
            state=self,
        )

    def beliefs(self) -> dict[str, Any]:
        """Return the state after a step, in a form that can be compared."""
        return {
            "telemetry": dict(self.telemetry),
            "slopes": {
                graph: tracker.calculate_slopes()
                for graph, tracker in self.trackers.items()
            },
            **{
                f"{name} of {graph}": np.array(getattr(kept, name))
                for graph, kept in self.hypotheses.items()
                for name in COLUMNS
            },
        }

    def percept(self, channel: str) -> Percept:
        sensed = self._scene.sensed[channel]
        parts = ("pose_vectors", "pose_fully_defined", "curvature")
        return Percept(*(sensed[part] for part in parts), features=sensed)

    def channels(self, graph_id: str) -> Sequence[str]:
        return self._scene.channels_of(graph_id)

    def version(self, graph_id: str, channel: str) -> Sequence[object]:
        return [self._scene.nodes[graph_id, channel]]

    def stored(self, before: object) -> object:  # noqa: ARG002
        return self._scene

    def nodes(self, graph_id: str, channel: str) -> Nodes:
        nodes = self._scene.nodes[graph_id, channel]
        return Nodes(**vars(nodes), feature_order=self._scene.order[channel])

    def keep_telemetry(self, telemetry: Mapping[str, Mapping[str, Any]]) -> None:
        self.telemetry.update(telemetry)

    def keep_history(self, graph_id: str, history: EvidenceHistory) -> None:
        self.trackers[graph_id] = history

    def history(self, graph_id: str) -> EvidenceHistory | None:
        kept = self.trackers.get(graph_id)
        return kept if isinstance(kept, EvidenceHistory) else None

    def burst(self) -> tuple[bool, float]:
        return self._steps - 1 in SAMPLING_STEPS, 0.5

    @property
    def _settings(self) -> dict[str, Any]:
        return dict(
            settings_of(self._scene),
            use_features_for_matching=dict.fromkeys(self._scene.sensed, True),
            sampling_multiplier=0.9,
            deletion_trigger_slope=-0.2,
            include_telemetry=True,
        )

    def _update_graph(self, graph_id: str) -> None:
        raise AssertionError(f"{graph_id} was not updated by the backend")
