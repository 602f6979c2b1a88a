# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Evidence updates as data, for backends that compute them by themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, NamedTuple, Protocol, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.work import EvidenceOutcome, EvidenceWork

__all__ = [
    "DescribedOutcome",
    "DescribedWork",
    "EvidenceHistory",
    "EvidenceUpdate",
    "Graphs",
    "HypothesisRows",
    "Nodes",
    "Percept",
    "Tracker",
]


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


@dataclass
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

    @property
    def count(self) -> int:
        """How many there are, by upstream's name."""
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


class Tracker(Protocol):
    """What has the past evidence of the hypotheses of a graph."""

    def history(self) -> EvidenceHistory:
        """Return the past evidence."""
        ...


class Graphs(Protocol):
    """The graphs that a learning module has stored."""

    @property
    def revision(self) -> int:
        """A number that changes with the nodes of any graph.

        No two contents have the same number, of whatever learning module.
        """
        ...

    def graph_revision(self, graph_id: str, channel: str) -> int:
        """Return such a number of the nodes of one graph."""
        ...

    def channels(self, graph_id: str) -> Sequence[str]:
        """Return the channels that a graph has nodes for."""
        ...

    def nodes(self, graph_id: str, channel: str) -> Nodes:
        """Return the stored nodes."""
        ...


@dataclass(eq=False)
class EvidenceUpdate:
    """The evidence update of a learning module on one step, as data.

    Attributes:
        lm_id: The learning module.
        kind: The kind of hypotheses updater: `default` or `burst_sampling`.
        settings: The updater's settings that affect the arithmetic, by name.
        graph_ids: The graphs to update.
        hypotheses: What the learning module has as hypotheses, by graph: those that a
            backend returned, or others that have the same columns.
        displacement: How far the sensors have moved since the last update; None if
            they have not moved yet.
        percepts: What is sensed, by input channel.
        graphs: The stored graphs.
        evidence_threshold_config: How much evidence a hypothesis needs to be tested.
            This and the next three are for the default updater only.
        x_percent_threshold: The percentage that `evidence_threshold_config` may name.
        most_likely_evidence: The evidence of the most likely hypothesis of all graphs.
        initialized_channels: The channels with hypotheses, by graph.
        trackers: The trackers of past evidence, by graph. This and the next two are for
            the burst sampling updater only.
        is_sampling: Whether hypotheses are added on this step.
        max_slope: The highest slope of all hypotheses before the step.
    """

    lm_id: str
    kind: str
    settings: Mapping[str, Any] = field(repr=False)
    graph_ids: Sequence[str]
    hypotheses: Mapping[str, Any] = field(repr=False)
    displacement: npt.NDArray[np.float64] | None
    percepts: Mapping[str, Percept] = field(repr=False)
    graphs: Graphs = field(repr=False)
    evidence_threshold_config: float | str = "all"
    x_percent_threshold: float = 0
    most_likely_evidence: float = 0
    initialized_channels: Mapping[str, set[str]] = field(default_factory=dict)
    trackers: Mapping[str, Tracker] = field(default_factory=dict)
    is_sampling: bool = False
    max_slope: float = -np.inf


@dataclass
class DescribedOutcome(EvidenceOutcome):
    """The results of a described update, with what its updater keeps.

    Attributes:
        initialized_channels: The channels that have hypotheses now, by updated graph;
            default updater only.
        trackers: The trackers of updated graphs; burst sampling updater only.
    """

    initialized_channels: Mapping[str, set[str]] = field(default_factory=dict)
    trackers: Mapping[str, Tracker] = field(default_factory=dict)


@dataclass(eq=False)
class DescribedWork(EvidenceWork):
    """An update that a backend can compute by itself.

    Attributes:
        describe: Returns the update as data. Raises `CannotRun` if it is not one that
            can be described. Called at most once, when the work is dispatched.
    """

    describe: Callable[[], EvidenceUpdate] = field(repr=False)
