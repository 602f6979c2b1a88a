# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs steps on a device that is not there: all of a step but its kernels."""

from __future__ import annotations

from collections import deque
from typing import Any, Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.engine import DeviceEngine
from tbp.monty.backends.device.graphs import DeviceGraphs
from tbp.monty.backends.device.hypotheses import DeviceHypothesisTable
from tbp.monty.backends.device.layout import LIKELY_NUMBERS, RESULT
from tbp.monty.backends.device.step import DeviceStep
from tbp.monty.backends.device.voting import FIRST_LIKELY
from tbp.monty.backends.numpy.votes import VotesForGraph
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.likely_rows import LikelyRows

__all__ = ["VOTES_PER_LM", "NullEngine", "NullStream"]

VOTES_PER_LM = 300
"""How many hypotheses a learning module votes for, about. Without evidence nobody
knows; in runs with YCB objects it is a few hundred."""

_EVIDENCE = 1.0
"""What every hypothesis has."""

_SLOPE = 1e3
"""So steep that burst sampling begins no other burst."""


class _NoMemory:
    def __init__(self, nbytes: int) -> None:
        # No two are alike: callers tell memory apart by its address.
        self.address = id(self)
        self.nbytes = nbytes


class NullStream:
    """A device that does nothing.

    Attributes:
        answers: What the next reads return, in turn; others return zeros.
    """

    where = "device 0"

    def __init__(self, real: npt.DTypeLike = np.float64) -> None:
        self.real = np.dtype(real)
        self.answers: deque[npt.NDArray] = deque()

    def allocate(self, nbytes: int, what: str) -> _NoMemory:  # noqa: ARG002
        return _NoMemory(nbytes)

    def pooled(self) -> int:
        return 0

    def fetch(self, address: int, nbytes: int) -> npt.NDArray[np.uint8]:  # noqa: ARG002
        return np.zeros(nbytes, dtype=np.uint8)

    def read(
        self,
        address: int,  # noqa: ARG002
        pitch: int,  # noqa: ARG002
        shape: tuple[int, int],
        dtype: np.dtype,
        about: Callable[[], str] | None = None,  # noqa: ARG002
    ) -> npt.NDArray:
        rows = np.zeros(shape, dtype=dtype)
        if self.answers:
            rows[:] = self.answers.popleft()
        return rows

    def send(self, *_: Any, **__: Any) -> None: ...

    write = launch = wait = close = send


class _NullTable(DeviceHypothesisTable):
    """A table of which there are only numbers."""

    def keep_voted(self, segments: npt.NDArray[np.int64], results: npt.NDArray) -> None:
        """Know what was known before: votes have changed nothing."""

    def _read(self, index: int, column: str, first: int, count: int) -> npt.NDArray:
        values = super()._read(index, column, first, count)
        if column == "evidence":
            values[:] = _EVIDENCE
        elif column == "locations":
            values[:, 0] = np.arange(first, first + count)
        elif column == "poses":
            values[:] = np.eye(3)
        elif column == "slopes":
            values[:] = _SLOPE
        return values


class _NullStep(DeviceStep):
    def fetch(self) -> None:
        super().fetch()
        results = np.zeros(len(self._segments), dtype=RESULT)
        results["count"] = results["tested"] = self._most_rows
        results["highest"] = np.where(self._most_rows > 0, _EVIDENCE, -np.inf)
        results["most_likely"] = np.where(self._most_rows > 0, 0, -1)
        results["highest_slope"] = _SLOPE
        results["pose"] = np.eye(3).ravel()
        results["unusable"] = -1
        results["second_most_likely"] = np.where(self._most_rows > 1, 1, -1)
        results["second_highest"] = _EVIDENCE
        results["second_location"][:, 0] = 1
        results["second_pose"] = np.eye(3).ravel()
        self._results = results.view(np.uint8)


class NullEngine(DeviceEngine):
    """Does what a device's engine does on the host, and makes results up.

    Hypotheses are added, and stay. All have the same evidence and rotation, and are far
    from each other, so that no learning module recognises an object.
    """

    step_class = _NullStep
    table_class = _NullTable

    def __init__(self, stream: NullStream, copies: int = 1) -> None:
        """Use a stream.

        Args:
            stream: What does nothing.
            copies: For how many graphs each stored one stands.
        """
        super().__init__(stream)
        self._nothing = stream
        self._copies = copies
        self._graph_bytes = 0

    @property
    def memory(self) -> Mapping[str, int]:
        """The bytes that are used on the device, by what for."""
        columns = [
            (name, memory.nbytes)
            for table in self._tables
            for (name, _), memory in table._memories.items()
        ]
        window = sum(nbytes for name, nbytes in columns if name == "window")
        hypotheses = sum(nbytes for _, nbytes in columns) - window
        others = self.stream.used - self._graph_bytes - hypotheses - window
        return {
            "graphs": self._graph_bytes,
            "hypotheses": hypotheses,
            "window": window,
            "buffers": others,
        }

    def make_graphs(self, table: GraphTable) -> DeviceGraphs:
        before, self.stream.copies = self.stream.used, self._copies
        try:
            return super().make_graphs(table)
        finally:
            self.stream.copies = 1
            self._graph_bytes = self.stream.used - before

    def add_votes(
        self, table: DeviceHypothesisTable, votes: Mapping[int, VotesForGraph]
    ) -> Sequence[float]:
        super().add_votes(table, votes)
        return [_EVIDENCE] * len(votes)

    def likely_rows(
        self, table: DeviceHypothesisTable, segments: Sequence[int], threshold: float
    ) -> LikelyRows:
        counts = table.counts[segments]
        chosen = np.minimum(counts, -(-VOTES_PER_LM // max(len(counts), 1)))
        if counts.sum():
            real, total = self.stream.real, int(chosen.sum())
            rows = np.zeros((max(total, FIRST_LIKELY), LIKELY_NUMBERS), dtype=real)
            rows[:, 0], rows[:, 4:] = _EVIDENCE, np.eye(3).ravel()
            extremes = np.tile([0.0, _EVIDENCE], len(counts)).astype(real)
            parts = extremes, chosen.astype(np.int64), rows[:FIRST_LIKELY].ravel()
            read = np.concatenate([part.view(np.uint8) for part in parts])
            self._nothing.answers.append(read)
            if total > FIRST_LIKELY:
                self._nothing.answers.append(rows)
        return super().likely_rows(table, segments, threshold)
