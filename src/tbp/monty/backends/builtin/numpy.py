# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The evidence update in numpy, as a backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tbp.monty.backends.described_work import (
    DescribedOutcome,
    DescribedWork,
    EvidenceUpdate,
    HypothesisRows,
    Nodes,
)
from tbp.monty.backends.failures import CannotRun
from tbp.monty.backends.hypotheses.resident import ResidentTracker
from tbp.monty.backends.numpy.burst_sampling_update import burst_sampling_update
from tbp.monty.backends.numpy.default_update import default_update
from tbp.monty.backends.numpy.graph_update import GraphUpdate
from tbp.monty.backends.numpy.numbers import UnusableNumbers
from tbp.monty.backends.protocol import LMGroup
from tbp.monty.backends.work import EvidenceOutcome, EvidenceWork

__all__ = ["NumpyBackend"]


@dataclass
class _Outcome:
    """A `DescribedOutcome` in the making."""

    hypotheses: dict[str, Any]
    telemetry: dict[str, Any]
    initialized_channels: dict[str, set[str]]
    trackers: dict[str, ResidentTracker]


class NumpyBackend:
    """Updates graph by graph, synchronously on dispatch."""

    name: ClassVar[str] = "numpy"
    where: ClassVar[str] = "CPU"
    summary: ClassVar[str] = "the arithmetic, written to be read"

    def __init__(self) -> None:
        self._nodes: dict[tuple[str, str, str], tuple[int, Nodes]] = {}
        """The nodes of graphs, and their revision."""
        self._outcomes: dict[EvidenceWork, EvidenceOutcome] = {}

    @staticmethod
    def unavailable() -> str | None:
        return None

    def dispatch(self, work: EvidenceWork) -> None:
        if not isinstance(work, DescribedWork):
            raise CannotRun("the work has no description")
        update = work.describe()
        if update.kind not in {"default", "burst_sampling"}:
            raise CannotRun(f"it does not know the update {update.kind!r}")
        outcome = _Outcome({}, {}, {}, {})
        for graph_id in update.graph_ids:
            self._update(update, graph_id, outcome)
        self._outcomes[work] = DescribedOutcome(**vars(outcome))

    def launch(self, group: LMGroup) -> None:
        pass

    def result(self, work: EvidenceWork) -> EvidenceOutcome:
        return self._outcomes.pop(work)

    def discard(self) -> None:
        self._outcomes.clear()

    def note(self) -> str:
        return ""

    def close(self) -> None:
        self._outcomes.clear()
        self._nodes.clear()

    def _update(self, of_lm: EvidenceUpdate, graph_id: str, outcome: _Outcome) -> None:
        stored = of_lm.graphs.channels(graph_id)
        channels = [channel for channel in of_lm.percepts if channel in stored]
        hypotheses, telemetry = outcome.hypotheses, outcome.telemetry
        if not channels:
            # Nothing moves. A graph without hypotheses still gets an empty entry.
            telemetry[graph_id] = {}
            if graph_id not in of_lm.hypotheses:
                hypotheses[graph_id] = HypothesisRows.none()
            return
        nodes = {one: self._stored(of_lm, graph_id, one) for one in channels}
        update = GraphUpdate(graph_id, nodes, of_lm)
        try:
            update.check()
            if of_lm.kind == "default":
                hypotheses[graph_id], telemetry[graph_id] = default_update(update)
                known = of_lm.initialized_channels.get(graph_id, set())
                outcome.initialized_channels[graph_id] = {*known, *channels}
                return
            hypotheses[graph_id], telemetry[graph_id], history = burst_sampling_update(
                update
            )
            outcome.trackers[graph_id] = ResidentTracker.of(history)
        except UnusableNumbers as error:
            raise UnusableNumbers(f"{of_lm.lm_id}, {graph_id}: {error}") from error

    def _stored(self, update: EvidenceUpdate, graph_id: str, channel: str) -> Nodes:
        """Return the stored nodes, kept until they change."""
        key = (update.lm_id, graph_id, channel)
        revision = update.graphs.graph_revision(graph_id, channel)
        if key not in self._nodes or self._nodes[key][0] != revision:
            self._nodes[key] = revision, update.graphs.nodes(graph_id, channel)
        return self._nodes[key][1]
