# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Work described as data, for backends that compute the update themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, MutableMapping, NamedTuple, Protocol, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.work import EvidenceWork

__all__ = [
    "DescribedWork",
    "EvidenceHistory",
    "EvidenceState",
    "HypothesisRows",
    "Nodes",
    "Percept",
    "UpdaterDescription",
]


@dataclass
class UpdaterDescription:
    """The description of a hypotheses updater, as data.

    Attributes:
        kind: The kind of updater: `default` or `burst_sampling`.
        settings: The updater's parameters that affect the arithmetic, by name.
    """

    kind: str
    settings: Mapping[str, Any] = field(repr=False)


class Nodes(NamedTuple):
    """The stored nodes of an object, for one input channel.

    Attributes:
        locations: Shape (n, 3).
        pose_vectors: Shape (n, 3, 3).
        pose_fully_defined: Shape (n,).
        features: All features except those of the pose, shape (n, columns).
        feature_order: Their names, in the order of the columns.
    """

    locations: npt.NDArray[np.float64]
    pose_vectors: npt.NDArray[np.float64]
    pose_fully_defined: npt.NDArray[np.bool_]
    features: npt.NDArray[np.float64]
    feature_order: Sequence[str]


class Percept(NamedTuple):
    """What an input channel senses on a step.

    Attributes:
        pose_vectors: Surface normal and curvature directions, shape (3, 3).
        pose_fully_defined: Whether the curvature directions mean anything.
        curvature: How curved the surface is. Of several numbers the one with the
            largest magnitude counts.
        features: The features by name.
    """

    pose_vectors: npt.NDArray[np.float64]
    pose_fully_defined: bool
    curvature: npt.ArrayLike
    features: Mapping[str, Any]


@dataclass(frozen=True)
class HypothesisRows:
    """The hypotheses of one graph.

    Attributes:
        evidence: Shape (n,).
        locations: Shape (n, 3).
        poses: Rotation matrices, shape (n, 3, 3).
        possible: Whether a hypothesis may be the terminal state, shape (n,).
    """

    evidence: npt.NDArray[np.float64]
    locations: npt.NDArray[np.float64]
    poses: npt.NDArray[np.float64]
    possible: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.evidence)

    @staticmethod
    def none() -> HypothesisRows:
        """Return no hypotheses."""
        return HypothesisRows(
            evidence=np.empty(0),
            locations=np.empty((0, 3)),
            poses=np.empty((0, 3, 3)),
            possible=np.empty(0, dtype=np.bool_),
        )


class EvidenceHistory(NamedTuple):
    """The evidence of a graph's hypotheses after each of their last updates.

    Attributes:
        window: From the oldest to the newest, NaN before a hypothesis existed; shape
            (n, updates).
        ages: How many updates each has had, shape (n,).
        channels: How many input channels took part in each update, shape (updates,).
    """

    window: npt.NDArray[np.float64]
    ages: npt.NDArray[np.int_]
    channels: npt.NDArray[np.float64]


class EvidenceState(Protocol):
    """The state of a learning module that its evidence update reads and writes."""

    @property
    def evidence_threshold_config(self) -> float | str:
        """How much evidence a hypothesis needs to be tested; default updater only."""
        ...

    @property
    def x_percent_threshold(self) -> float:
        """The percentage that `evidence_threshold_config` may refer to."""
        ...

    @property
    def most_likely_evidence(self) -> float:
        """The evidence of the most likely hypothesis of all graphs."""
        ...

    @property
    def hypotheses(self) -> Mapping[str, Any]:
        """The hypotheses of each graph that has any, like `HypothesisRows`."""
        ...

    @property
    def initialized_channels(self) -> MutableMapping[str, set[str]]:
        """The channels with hypotheses, by graph; default updater only."""
        ...

    def percept(self, channel: str) -> Percept:
        """Return what a channel senses."""
        ...

    def channels(self, graph_id: str) -> Sequence[str]:
        """Return the channels that a graph has nodes for."""
        ...

    def version(self, graph_id: str, channel: str) -> Sequence[object]:
        """Return objects, at least one of which is replaced when the nodes change."""
        ...

    def nodes(self, graph_id: str, channel: str) -> Nodes:
        """Return the stored nodes."""
        ...

    def keep_hypotheses(self, graph_id: str, rows: HypothesisRows) -> None:
        """Store the hypotheses of a graph."""
        ...

    def keep_telemetry(self, telemetry: Mapping[str, Mapping[str, Any]]) -> None:
        """Store the telemetry of updates, by graph."""
        ...

    def history(self, graph_id: str) -> EvidenceHistory | None:
        """Return past evidence, if there is any; burst sampling updater only."""
        ...

    def keep_history(self, graph_id: str, history: EvidenceHistory) -> None:
        """Store past evidence; burst sampling updater only."""
        ...

    def burst(self) -> tuple[bool, float]:
        """Return whether to sample hypotheses on this step, and the highest slope.

        Burst sampling updater only.
        """
        ...


@dataclass(eq=False)
class DescribedWork(EvidenceWork):
    """An evidence update that a backend can compute by itself.

    Attributes:
        features: The features sensed, by input channel.
        displacement: How far the sensors moved since the last update; None if they
            have not moved yet.
        updater: The description of the updater, or why there is none.
        state: The learning module's state that the update reads and writes.
    """

    features: Mapping[str, Mapping[str, Any]] = field(repr=False)
    displacement: npt.NDArray[np.float64] | None
    updater: UpdaterDescription | str
    state: EvidenceState = field(repr=False)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of the updater, which is described."""
        assert isinstance(self.updater, UpdaterDescription)
        return self.updater.settings
