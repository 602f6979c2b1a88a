# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What the updates of both kinds of updaters share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import EvidenceUpdate, HypothesisRows, Nodes
from tbp.monty.backends.numpy.evidence import ChannelMatch, updated_hypotheses
from tbp.monty.backends.numpy.features import feature_evidence, make_feature_query
from tbp.monty.backends.numpy.new_hypotheses import (
    aligning_poses,
    hypotheses_at,
    sensed_frames,
)
from tbp.monty.backends.numpy.numbers import UnusableNumbers, usable, usable_percepts

__all__ = ["GraphUpdate", "joined"]


@dataclass(frozen=True)
class GraphUpdate:
    """The update of one graph of a learning module on one step.

    Attributes:
        graph_id: The graph.
        nodes: The stored nodes, for each input channel that is sensed and stored.
        of_lm: The update of the learning module.
    """

    graph_id: str
    nodes: Mapping[str, Nodes]
    of_lm: EvidenceUpdate

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of the updater."""
        return self.of_lm.settings

    @property
    def displacement(self) -> npt.NDArray[np.float64] | None:
        """How the sensor has moved, shape (3,); None if it has not yet."""
        return self.of_lm.displacement

    @property
    def existing(self) -> HypothesisRows:
        """The hypotheses before the update."""
        existing = self.of_lm.hypotheses.get(self.graph_id, HypothesisRows.none())
        # Votes leave masked arrays.
        return HypothesisRows(
            evidence=np.ma.getdata(existing.evidence),
            locations=existing.locations,
            poses=existing.poses,
            possible=existing.possible,
        )

    @cached_property
    def matches(self) -> Mapping[str, ChannelMatch]:
        """What is stored and sensed, by input channel."""
        return {channel: self._match(channel) for channel in self.nodes}

    def check(self) -> None:
        """Check what is sensed.

        Raises:
            UnusableNumbers: If it cannot be computed with.
        """
        if self.displacement is not None and not usable(self.displacement).all():
            raise UnusableNumbers(
                f"the displacement must be finite, got {self.displacement}"
            )
        for match in self.matches.values():
            pose_vectors = np.ravel(match.percept.pose_vectors)[:6]
            if not usable_percepts(pose_vectors, np.max(match.percept.curvature)):
                raise UnusableNumbers(
                    "pose vectors must be finite and the curvature not NaN, got "
                    f"{pose_vectors.tolist()} and {match.percept.curvature}"
                )

    def updated(
        self, hypotheses: HypothesisRows, threshold: float
    ) -> tuple[HypothesisRows, float | None]:
        """Displace hypotheses and update the evidence of those above a threshold.

        Args:
            hypotheses: The hypotheses.
            threshold: How much evidence a hypothesis needs to be tested.

        Returns:
            The updated hypotheses, and the prediction error.
        """
        return updated_hypotheses(
            hypotheses,
            self.displacement,
            list(self.matches.values()),
            threshold=threshold,
            past_weight=self.settings["past_weight"],
            present_weight=self.settings["present_weight"],
        )

    def poses_per_node(self, channel: str) -> int:
        """Return how many poses a node may be in, given what a channel senses."""
        given = self.settings["initial_possible_poses"]
        if given is not None:
            return len(given)
        if self.matches[channel].percept.pose_fully_defined:
            return 2
        return self.settings["umbilical_num_poses"]

    def new_hypotheses(
        self, channel: str, chosen: npt.NDArray[np.int_]
    ) -> HypothesisRows:
        """Return a hypothesis for each pose of some nodes.

        Args:
            channel: The input channel.
            chosen: Which of its nodes.

        Returns:
            The hypotheses. Their evidence is that of the features.
        """
        match = self.matches[channel]
        given = self.settings["initial_possible_poses"]
        if given is None:
            frames = sensed_frames(
                match.percept.pose_vectors, self.poses_per_node(channel)
            )
            poses = aligning_poses(match.nodes.pose_vectors[chosen], frames)
        else:
            matrices = [rotation.as_matrix() for rotation in given]
            poses = np.repeat(matrices, len(chosen), axis=0)
        return hypotheses_at(match.nodes.locations[chosen], match.scores[chosen], poses)

    def _match(self, channel: str) -> ChannelMatch:
        nodes, percept = self.nodes[channel], self.of_lm.percepts[channel]
        settings = self.settings
        weights = settings["feature_weights"][channel]
        if settings["use_features_for_matching"][channel]:
            query = make_feature_query(
                nodes.feature_order,
                nodes.features.shape[1],
                percept.features,
                settings["tolerances"][channel],
                weights,
                settings["feature_evidence_increment"],
            )
            scores = feature_evidence(nodes.features, query)
        else:
            scores = np.zeros(len(nodes.locations))
        return ChannelMatch(
            nodes=nodes,
            percept=percept,
            scores=scores,
            normal_weight=weights["pose_vectors"][0],
            direction_weight=weights["pose_vectors"][1],
            radius=settings["max_match_distance"],
            neighbors=settings["max_nneighbors"],
        )


def joined(parts: Sequence[HypothesisRows]) -> HypothesisRows:
    """Return all hypotheses concatenated."""
    return HypothesisRows(
        evidence=np.concatenate([part.evidence for part in parts]),
        locations=np.concatenate([part.locations for part in parts]),
        poses=np.concatenate([part.poses for part in parts]),
        possible=np.concatenate([part.possible for part in parts]),
    )
