# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Learning modules made of random numbers, for tests of whole backends."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tbp.monty.backends.described_work import (
    DescribedOutcome,
    DescribedWork,
    EvidenceUpdate,
    Nodes,
    Percept,
)
from tests.backends.numpy.scene_state import settings_of
from tests.backends.scenes import random_frames, random_scene

__all__ = ["COLUMNS", "SceneLM"]

COLUMNS = ("evidence", "locations", "poses", "possible")
SAMPLING_STEPS = (0, 1, 4)

_revisions = itertools.count()


class SceneLM:
    """A learning module that starts without hypotheses; its graphs are its own."""

    def __init__(self, number: int, kind: str) -> None:
        """Make a learning module.

        Args:
            number: Its number, which is also the seed of its random numbers.
            kind: The kind of its updater.
        """
        self.lm_id = f"LM_{number}"
        self._random = np.random.default_rng(number)
        # Small, as kernels for a GPU are slow on a CPU.
        self.scene = random_scene(
            number, self.lm_id, nodes=12, channels=1 + number % 2, hypotheses=0
        )
        self._kind = kind
        self._steps = 0
        self.settings = dict(
            settings_of(self.scene),
            use_features_for_matching=dict.fromkeys(self.scene.sensed, True),
            sampling_multiplier=0.9,
            deletion_trigger_slope=-0.2,
            include_telemetry=True,
        )
        self.revision = next(_revisions)
        self.hypotheses: dict[str, Any] = {}
        self.initialized_channels: dict[str, set[str]] = {}
        self.telemetry: dict[str, Any] = {}
        self.trackers: dict[str, Any] = {}

    def next_update(self) -> EvidenceUpdate:
        """Sense something else, and return the update of that step."""
        scene, random = self.scene, self._random
        moved = random.normal(size=3) * 0.004 if self._steps else None
        for sensed in scene.sensed.values():
            sensed["pose_vectors"] = random_frames(random, 1)[0]
            sensed["hsv"] = random.random(3)
        self._steps += 1
        parts = ("pose_vectors", "pose_fully_defined", "curvature")
        return EvidenceUpdate(
            lm_id=self.lm_id,
            kind=self._kind,
            settings=self.settings,
            graph_ids=list(scene.hypotheses),
            hypotheses=self.hypotheses,
            displacement=moved,
            percepts={
                channel: Percept(*(sensed[part] for part in parts), features={**sensed})
                for channel, sensed in scene.sensed.items()
            },
            graphs=self,
            x_percent_threshold=20.0,
            initialized_channels=self.initialized_channels,
            trackers=self.trackers,
            is_sampling=self._steps - 1 in SAMPLING_STEPS,
            max_slope=0.5,
        )

    def next_work(self) -> DescribedWork:
        """Sense something else, and return the work of that step."""
        update = self.next_update()
        return DescribedWork(self.lm_id, self._update, describe=lambda: update)

    def take(self, outcome: DescribedOutcome) -> None:
        """Keep the outcome of a step."""
        self.hypotheses.update(outcome.hypotheses)
        self.telemetry.update(outcome.telemetry)
        self.initialized_channels.update(outcome.initialized_channels)
        self.trackers.update(outcome.trackers)

    def beliefs(self) -> dict[str, Any]:
        """Return the state after a step, in a form that can be compared."""
        return {
            "telemetry": dict(self.telemetry),
            "channels": dict(self.initialized_channels),
            "slopes": {
                graph: (tracker.calculate_slopes(), tracker.history())
                for graph, tracker in self.trackers.items()
            },
            **{
                f"{name} of {graph}": np.array(getattr(kept, name))
                for graph, kept in self.hypotheses.items()
                for name in COLUMNS
            },
        }

    def channels(self, graph_id: str) -> Sequence[str]:
        return self.scene.channels_of(graph_id)

    def graph_revision(self, graph_id: str, channel: str) -> int:  # noqa: ARG002
        return self.revision

    def nodes(self, graph_id: str, channel: str) -> Nodes:
        nodes = self.scene.nodes[graph_id, channel]
        return Nodes(**vars(nodes), feature_order=self.scene.order[channel])

    def _update(self) -> Any:
        raise AssertionError(f"{self.lm_id} was not updated by the backend")
