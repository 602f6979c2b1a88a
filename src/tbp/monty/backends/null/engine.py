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
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.constants import LIKELY_NUMBERS
from tbp.monty.backends.device.engine import DeviceEngine
from tbp.monty.backends.device.graphs import DeviceGraphs
from tbp.monty.backends.device.hypotheses import DeviceHypothesisTable
from tbp.monty.backends.device.layout import RESULT
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
    def __init__(self, address: int, nbytes: int) -> None:
        self.address = address
        self.nbytes = nbytes


class NullStream:
    """A device that does nothing.

    Attributes:
        answers: What the next fetches return, in turn; others return zeros.
    """

    where = "device 0"

    def __init__(self, real: npt.DTypeLike = np.float64) -> None:
        self.real = np.dtype(real)
        self.answers: deque[npt.NDArray[np.uint8]] = deque()
        self._end = 0

    def allocate(self, nbytes: int, what: str) -> _NoMemory:  # noqa: ARG002
        # No two are alike: callers tell memory apart by its address.
        self._end += max(nbytes, 1)
        return _NoMemory(self._end - nbytes, nbytes)

    def pooled(self) -> int:
        return 0

    def fetch(self, address: int, nbytes: int) -> npt.NDArray[np.uint8]:  # noqa: ARG002
        return self.answers.popleft() if self.answers else np.zeros(nbytes, np.uint8)

    def send(self, *_: Any, **__: Any) -> None: ...

    launch = wait = close = send


class _NullTable(DeviceHypothesisTable):
    """A table of which there are only numbers."""

    def _read(
        self, index: int, column: str, first: int, count: int, sides: int | None = None
    ) -> npt.NDArray:
        values = super()._read(index, column, first, count, sides)
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
        results["sides"] = self._to_sides
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

    @property
    def memory(self) -> Mapping[str, int]:
        """The bytes that are used on the device, by what for."""
        used = self.stream.used_for
        of_columns = ("evidence", "locations", "poses", "slopes", "ages")
        graphs, window = used["stored graphs"], used["the window"]
        hypotheses = sum(used[f"the {name}"] for name in of_columns)
        return {
            "graphs": graphs,
            "hypotheses": hypotheses,
            "window": window,
            "buffers": self.stream.used - graphs - hypotheses - window,
        }

    def make_graphs(self, table: GraphTable) -> DeviceGraphs:
        self.stream.copies = self._copies
        try:
            return super().make_graphs(table)
        finally:
            self.stream.copies = 1

    def add_votes(
        self, table: DeviceHypothesisTable, votes: Mapping[int, VotesForGraph]
    ) -> None:
        super().add_votes(table.fork(), votes)  # which change nothing

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
                self._nothing.answers.append(rows.ravel().view(np.uint8))
        return super().likely_rows(table, segments, threshold)
