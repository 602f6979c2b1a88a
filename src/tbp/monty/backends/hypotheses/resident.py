# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What stands for hypotheses that a table of a backend has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

from tbp.monty.backends.described_work import EvidenceHistory, HypothesisRows
from tbp.monty.backends.failures import DEVICE_FAILURES
from tbp.monty.backends.numpy.slopes import mean_slopes
from tbp.monty.backends.tables.segments import Segments

if TYPE_CHECKING:
    from tbp.monty.backends.tables.engine import Engine

__all__ = [
    "Owner",
    "Resident",
    "ResidentHypotheses",
    "ResidentTracker",
    "StaleHypotheses",
]

T = TypeVar("T")


class StaleHypotheses(RuntimeError):
    """Hypotheses are used that their learning module has not any more."""


class Owner(Protocol):
    """What holds the hypotheses of some learning modules.

    Attributes:
        engine: What computes on the table.
        table: The hypotheses. It is replaced when they change.
    """

    engine: Engine
    table: Segments

    def settle(self) -> Segments:
        """Wait for a step that runs, and return the table."""
        ...

    def leave(self, failure: BaseException) -> None:
        """Leave all hypotheses to learning modules, if the backend may be left.

        Args:
            failure: Why; it is raised if the backend may not be left.
        """
        ...


class Resident:
    """Something that a segment of a table has.

    Attributes:
        owner: What holds the table; None if no table has it any more.
        segment: The segment.
    """

    is_kept = False
    """Whether it has the arrays itself, because no table has them any more."""

    def __init__(self, owner: Owner | None, segment: int) -> None:
        self.owner = owner
        self.segment = segment

    def settled(self) -> Segments:
        """Wait for a step that runs, and return the table."""
        if self.owner is None:
            raise StaleHypotheses(
                "these hypotheses are of a former episode, or were replaced: take what "
                "the learning module has now"
            )
        return self.owner.settle()

    def ask(self, question: Callable[[Segments, int], T]) -> T | None:
        """Return what the table answers of the segment; None if it is kept here.

        If the device fails and may be left, it is kept here from then on.
        """
        if self.is_kept:
            return None
        table, owner = self.settled(), self.owner
        assert owner is not None
        try:
            return question(table, self.segment)
        except DEVICE_FAILURES as failure:
            owner.leave(failure)
        return None

    def discard(self) -> None:
        """Be of no use any more: other hypotheses take the segment."""
        self.owner = None


class ResidentHypotheses(Resident):
    """The hypotheses of a graph, in a table of a backend.

    Arrays are copied when they are read, and cannot be written to. An array that is
    assigned is written to the table at once.
    """

    _kept: HypothesisRows

    @property
    def evidence(self) -> npt.NDArray[np.float64]:
        return self._read("evidence")

    @evidence.setter
    def evidence(self, values: npt.ArrayLike) -> None:
        self._write("evidence", values)

    @property
    def locations(self) -> npt.NDArray[np.float64]:
        return self._read("locations")

    @locations.setter
    def locations(self, values: npt.ArrayLike) -> None:
        self._write("locations", values)

    @property
    def poses(self) -> npt.NDArray[np.float64]:
        return self._read("poses")

    @poses.setter
    def poses(self, values: npt.ArrayLike) -> None:
        self._write("poses", values)

    @property
    def possible(self) -> npt.NDArray[np.bool_]:
        """Which of them may be the terminal state; may be written to."""
        if self.is_kept:
            return self._kept.possible
        table = self.settled()
        found = table.possible.get(self.segment)
        if found is None:
            found = np.zeros(int(table.counts[self.segment]), dtype=np.bool_)
            table.possible[self.segment] = found
        return found

    @possible.setter
    def possible(self, values: npt.ArrayLike) -> None:
        self.possible[:] = values

    @property
    def count(self) -> int:
        """The number of hypotheses."""
        if self.is_kept:
            return len(self._kept)
        return int(self.settled().counts[self.segment])

    def rows(self) -> HypothesisRows:
        """Return copies of all arrays."""
        rows = self.ask(lambda table, segment: table.rows(segment))
        if rows is None:
            rows = HypothesisRows(*(one.copy() for one in vars(self._kept).values()))
        return rows

    def keep(self, rows: HypothesisRows) -> None:
        """Have these arrays from now on, and nothing in a table."""
        self._kept, self.is_kept, self.owner = rows, True, None

    def __reduce__(self) -> tuple[type, tuple[npt.NDArray, ...]]:
        return HypothesisRows, tuple(vars(self.rows()).values())

    def _read(self, column: str) -> npt.NDArray:
        array = self.ask(lambda table, segment: table.read(segment, column))
        if array is None:
            return getattr(self._kept, column)
        array.flags.writeable = False
        return array

    def _write(self, column: str, values: npt.ArrayLike) -> None:
        array = np.ma.getdata(np.asarray(values, dtype=np.float64))
        if len(array) != self.count:
            raise ValueError(
                f"there are {self.count} hypotheses, and {len(array)} rows in their "
                f"new {column}: give the learning module other hypotheses instead"
            )

        def written(table: Segments, segment: int) -> Segments:
            fork = table.fork()
            fork.write(segment, column, array)
            return fork

        owner, table = self.owner, self.ask(written)
        if table is None:
            getattr(self._kept, column)[:] = array
        elif owner is not None:
            owner.table = table


class ResidentTracker(Resident):
    """The slopes of the hypotheses of a graph, with the names of Monty's tracker."""

    _kept: tuple[EvidenceHistory, npt.NDArray[np.float64]]

    @classmethod
    def of(cls, history: EvidenceHistory) -> Self:
        """Return what has past evidence itself."""
        tracker = cls(None, -1)
        tracker.keep(history, mean_slopes(history.window, history.channels))
        return tracker

    def total_size(self) -> int:
        return len(self.hyp_ages())

    def hyp_ages(self) -> npt.NDArray[np.int_]:
        ages = self.ask(lambda table, segment: table.read(segment, "ages"))
        return self._kept[0].ages if ages is None else ages.astype(np.int_)

    def calculate_slopes(self) -> npt.NDArray[np.float64]:
        slopes = self.ask(lambda table, segment: table.read(segment, "slopes"))
        return self._kept[1] if slopes is None else slopes

    def history(self) -> EvidenceHistory:
        """Return the past evidence."""
        history = self.ask(lambda table, segment: table.history(segment))
        return self._kept[0] if history is None else history

    def keep(self, history: EvidenceHistory, slopes: npt.NDArray[np.float64]) -> None:
        """Have this past evidence and these slopes, and nothing in a table."""
        self._kept, self.is_kept, self.owner = (history, slopes), True, None
