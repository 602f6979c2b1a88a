# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The protocol of backends, without any computation."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.backends.protocol import LMGroup
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.work import EvidenceWork

__all__ = ["NullBackend"]

_BYTES = {
    "default": HypothesisTable().bytes_per_row,
    "burst_sampling": HypothesisTable(window_size=10).bytes_per_row,
}


class NullBackend:
    """Takes work, and leaves hypotheses unchanged.

    A run with it measures everything except the evidence update: Monty, the learning
    modules' Python and the protocol. The results mean nothing.

    Learning modules cannot step without hypotheses. If a graph has none, the learning
    module's own code makes them, once per episode. They are never updated after that;
    with burst sampling their number stays constant too.

    It counts what a stacked backend would do: one launch per group and step, bytes
    copied to a device (percepts and displacements) and back (the most likely hypothesis
    of each graph), and the memory of the hypotheses there.
    """

    name: ClassVar[str] = "null"
    where: ClassVar[str] = "none"
    summary: ClassVar[str] = "computes nothing: measures all else; results mean nothing"

    def __init__(self) -> None:
        self._queued: set[LMGroup] = set()
        """Groups with work that is not launched yet."""
        self._groups: dict[EvidenceWork, LMGroup] = {}
        self._memory: dict[str, int] = {}
        self.launches = 0
        self.initialized = 0
        """How many times the hypotheses of a graph were made."""
        self.bytes_sent = 0
        self.bytes_returned = 0

    @staticmethod
    def unavailable() -> str | None:
        return None

    @property
    def memory(self) -> int:
        """The bytes that the hypotheses of all learning modules take in a table."""
        return sum(self._memory.values())

    def can_run(self, work: EvidenceWork) -> Literal[True] | str:
        if not isinstance(work, DescribedWork):
            return "its update is not described"
        return True if work.updater is not None else work.reason

    def dispatch(self, work: DescribedWork, group: LMGroup) -> None:
        self._queued.add(group)
        self._groups[work] = group
        self._pretend(work)

    def launch(self, group: LMGroup) -> None:
        self.launches += group in self._queued
        self._queued.discard(group)

    def result(self, work: EvidenceWork) -> None:
        self.launch(self._groups.pop(work))

    def close(self) -> None:
        self._queued.clear()
        self._groups.clear()

    def note(self) -> str:
        """Return the counts."""
        return (
            f"nothing was computed, results mean nothing: {self.launches} launches, "
            f"{self.bytes_sent} bytes sent, {self.bytes_returned} returned, "
            f"{self.memory} bytes of hypotheses, hypotheses of a graph made "
            f"{self.initialized} times"
        )

    def _pretend(self, work: DescribedWork) -> None:
        made = 0
        for graph_id in work.graph_ids:
            if not _count(work, graph_id):
                work.update_graph(graph_id)
                made += 1
        if made:
            self.initialized += made
            rows = sum(_count(work, graph_id) for graph_id in work.graph_ids)
            kind = work.updater.kind if work.updater else ""
            self._memory[work.lm_id] = rows * _BYTES.get(kind, 0)
        self.bytes_sent += _percept_bytes(work)
        self.bytes_returned += len(work.graph_ids) * _RETURNED


_RETURNED = 4 * 8
"""Bytes of a graph's result: highest evidence, its index, error, number tested."""


def _count(work: DescribedWork, graph_id: str) -> int:
    hypotheses = work.state.hypotheses.get(graph_id)
    return 0 if hypotheses is None else len(hypotheses.evidence)


def _percept_bytes(work: DescribedWork) -> int:
    values = [
        getattr(value, "value", value)
        for features in work.features.values()
        for value in features.values()
    ]
    displacement = 0 if work.displacement is None else work.displacement.nbytes
    return displacement + sum(np.asarray(value).nbytes for value in values)
