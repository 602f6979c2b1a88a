# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What learning modules ask a backend to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import (
    Any,
    Callable,
    Mapping,
    MutableMapping,
    NamedTuple,
    Protocol,
    Sequence,
)

import numpy as np
import numpy.typing as npt

__all__ = [
    "EvidenceHistory",
    "EvidenceState",
    "EvidenceWork",
    "Nodes",
    "Percept",
    "UpdaterDescription",
]


@dataclass(frozen=True)
class UpdaterDescription:
    """How a hypotheses updater updates, as data.

    Attributes:
        kind: Which of the known ways: `default` or `burst_sampling`.
        settings: What decides the arithmetic, by the names of the updater's own
            parameters.
    """

    kind: str
    settings: Mapping[str, Any] = field(repr=False)


class Nodes(NamedTuple):
    """What a learning module has stored of an object, for one input channel.

    Attributes:
        locations: Shape (n, 3).
        pose_vectors: Shape (n, 3, 3).
        pose_fully_defined: Shape (n,).
        features: All features but those of the pose, shape (n, columns).
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
        curvature: How curved the surface is.
        features: The features by name.
    """

    pose_vectors: npt.NDArray[np.float64]
    pose_fully_defined: bool
    curvature: float
    features: Mapping[str, Any]


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
    """Where a learning module keeps what its evidence update reads and writes."""

    evidence_threshold_config: float | str
    """How much evidence a hypothesis needs to be tested; of the default updater."""
    x_percent_threshold: float
    """A percentage that the former may refer to."""
    most_likely_evidence: float
    """The evidence of the most likely hypothesis of all graphs."""
    hypotheses: Mapping[str, Any]
    """What is kept as the hypotheses of each graph that has any.

    They have the attributes `evidence`, `locations`, `poses` and `possible`."""
    initialized_channels: MutableMapping[str, set[str]]
    """For each graph the channels that hypotheses were made for; of the default
    updater."""

    def percept(self, channel: str) -> Percept:
        """Return what a channel senses."""
        ...

    def channels(self, graph_id: str) -> Sequence[str]:
        """Return the channels that a graph has nodes for."""
        ...

    def version(self, graph_id: str, channel: str) -> Sequence[object]:
        """Return objects that are others when the nodes have changed."""
        ...

    def versions(self, graph_ids: Sequence[str]) -> Sequence[object]:
        """Return objects of which one is another when any graph has changed."""
        ...

    def nodes(self, graph_id: str, channel: str) -> Nodes:
        """Return what is stored."""
        ...

    def keep_hypotheses(self, graph_id: str, rows: Any) -> Any:
        """Keep the hypotheses that a backend holds.

        Args:
            graph_id: The graph.
            rows: See `resident.ResidentRows`.

        Returns:
            What `hypotheses` has from now on.
        """
        ...

    def keep_telemetry(self, telemetry: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep what is to be known of the updates of graphs."""
        ...

    def keep_tracker(self, graph_id: str, tracker: Any) -> None:
        """Keep what tells the slopes of a graph's hypotheses.

        Of the burst sampling updater only.
        """
        ...

    def keep_history(self, graph_id: str, history: EvidenceHistory) -> None:
        """Keep past evidence as the learning module itself does.

        Of the burst sampling updater only.
        """
        ...

    def history(self, graph_id: str) -> EvidenceHistory | None:
        """Return past evidence that the learning module keeps itself, if it does.

        Of the burst sampling updater only.
        """
        ...

    def burst(self) -> tuple[bool, float]:
        """Return whether to sample hypotheses on this step, and the highest slope.

        Of the burst sampling updater only.
        """
        ...


@dataclass(frozen=True)
class EvidenceWork:
    """The evidence update of one learning module on one step.

    Attributes:
        lm_id: The learning module.
        graph_ids: The object graphs to update.
        features: The features sensed, by input channel.
        displacement: How far the sensors moved since the last update; None if they
            have not moved yet.
        update_graph: The learning module's own update of one graph, in Python. It
            writes the result where the learning module keeps its hypotheses.
        in_threads: Whether the graphs may be updated at the same time.
        updater: What the update is; None if only `update_graph` knows.
        reason: Why there is no description of the updater.
        state: Where the learning module keeps what the update reads and writes; there
            if the update is described.
    """

    lm_id: str
    graph_ids: Sequence[str]
    features: Mapping[str, Mapping[str, Any]] = field(repr=False)
    displacement: npt.NDArray[np.float64] | None
    update_graph: Callable[[str], None] = field(repr=False)
    in_threads: bool
    updater: UpdaterDescription | None
    reason: str = ""
    state: EvidenceState | None = field(default=None, repr=False)
