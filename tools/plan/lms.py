# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Learning modules of which only the sizes matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from tbp.monty.backends.described_work import (
    DescribedWork,
    EvidenceHistory,
    HypothesisRows,
    Nodes,
    Percept,
    UpdaterDescription,
)
from tbp.monty.backends.numpy.votes import VotesForGraph
from tbp.monty.backends.stacked.resident_rows import ResidentRows, likely_rows

__all__ = ["Memory", "PlannedLM"]


class Memory(Protocol):
    """What a learning module has learned; see `EvidenceState`."""

    def channels(self, graph_id: str) -> Sequence[str]: ...

    def version(self, graph_id: str, channel: str) -> Sequence[object]: ...

    def nodes(self, graph_id: str, channel: str) -> Nodes: ...


@dataclass(eq=False)
class PlannedLM:
    """Dispatches work as a learning module would; it is its own state.

    Attributes:
        lm_id: The learning module.
        kind: What it is, for people.
        graph_ids: The objects that it knows.
        memory: Their graphs.
        updater: The description of its updater, or why there is none.
        sensed: The features of each input channel.
        voters: From how many others it receives votes.
        burst_steps: On how many steps burst sampling adds hypotheses, or 0.
        evidence_threshold_config: See `EvidenceState`.
        x_percent_threshold: See `EvidenceState`.
        is_umbilical: Whether what it senses has no direction, so that there are the
            most hypotheses.
        most_likely_evidence: See `EvidenceState`.
        hypotheses: What a backend has handed out, by graph.
        telemetry: What it was told of its last update, by graph.
        trackers: What tells the slopes of its hypotheses, by graph.
        initialized_channels: See `EvidenceState`.
        steps: How many steps it has taken in its episode.
    """

    lm_id: str
    kind: str
    graph_ids: Sequence[str]
    memory: Memory
    updater: UpdaterDescription | str
    sensed: Mapping[str, Mapping[str, Any]]
    voters: int = 0
    burst_steps: int = 0
    evidence_threshold_config: float | str = "all"
    x_percent_threshold: float = 20.0
    is_umbilical: bool = False
    most_likely_evidence: float = 1.0
    hypotheses: Mapping[str, ResidentRows] = field(default_factory=dict)
    telemetry: dict[str, Any] = field(default_factory=dict)
    trackers: dict[str, Any] = field(default_factory=dict)
    rows_class: ClassVar[type[ResidentRows]] = ResidentRows
    initialized_channels: dict[str, set[str]] = field(default_factory=dict)
    steps: int = 0

    @property
    def count(self) -> int:
        """How many hypotheses it has."""
        return sum(rows.count for rows in self.hypotheses.values())

    @property
    def has_more_without_direction(self) -> bool:
        """Whether it adds more hypotheses where what it senses has no direction."""
        if isinstance(self.updater, str):
            return False
        settings = self.updater.settings
        if settings["initial_possible_poses"]:
            return False
        return settings.get("sampling_multiplier", np.inf) > 2

    def begin(self, *, is_umbilical: bool = False) -> None:
        """Forget the last episode.

        Args:
            is_umbilical: Whether what it senses in the next one has no direction.
        """
        self.is_umbilical = is_umbilical
        self.hypotheses = {}
        self.initialized_channels = {}
        self.steps = 0

    def next_work(self) -> DescribedWork:
        """Return the work of its next step."""
        moved = np.full(3, 1e-3) if self.steps else None
        self.steps += 1
        return DescribedWork(
            lm_id=self.lm_id,
            graph_ids=self.graph_ids,
            update_graph=_update_nothing,
            in_threads=False,
            context=nullcontext(),
            features=self.sensed,
            displacement=moved,
            updater=self.updater,
            state=self,
        )

    def vote(self) -> None:
        """Send votes, and receive as many from each voter."""
        if not self.voters or not self.hypotheses:
            return
        likely = likely_rows(self.hypotheses, threshold=1.0)
        assert likely is not None, "the table holds all of them"
        for one, sent in zip(
            self.hypotheses.values(), likely.counts.tolist(), strict=True
        ):
            count = sent * self.voters
            if count:
                one.add_votes(
                    VotesForGraph(
                        locations=np.zeros((count, 3)),
                        confidences=np.ones(count),
                        weight=1.0,
                        is_bounded=False,
                        distance=0.01,
                    )
                )

    def percept(self, channel: str) -> Percept:
        return Percept(
            pose_vectors=np.eye(3),
            pose_fully_defined=not self.is_umbilical,
            curvature=0.0,
            features=self.sensed[channel],
        )

    def channels(self, graph_id: str) -> Sequence[str]:
        return self.memory.channels(graph_id)

    def version(self, graph_id: str, channel: str) -> Sequence[object]:
        return self.memory.version(graph_id, channel)

    def stored(self, before: object) -> object:  # noqa: ARG002
        return self.memory

    def nodes(self, graph_id: str, channel: str) -> Nodes:
        return self.memory.nodes(graph_id, channel)

    def keep_hypotheses(self, graph_id: str, rows: HypothesisRows) -> None:
        raise NotImplementedError("only a backend that keeps hypotheses is planned")

    def keep_telemetry(self, telemetry: Mapping[str, Mapping[str, Any]]) -> None:
        """Do nothing with it."""

    def keep_history(self, graph_id: str, history: EvidenceHistory) -> None:
        """Do nothing with it."""

    def history(self, graph_id: str) -> EvidenceHistory | None:  # noqa: ARG002
        return None

    def burst(self) -> tuple[bool, float]:
        return self.steps <= self.burst_steps, 0.0


def _update_nothing(graph_id: str) -> None:
    raise NotImplementedError(f"{graph_id}: a plan computes nothing")
