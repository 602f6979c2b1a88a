# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses that a table holds, while a learning module goes on to use them."""

from __future__ import annotations

import sys
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.tables import HypothesisRows, Segments
from tbp.monty.backends.work import EvidenceState

__all__ = ["Deferred", "ResidentRows", "Residents", "StaleHypotheses"]

_COLUMNS = ("evidence", "locations", "poses", "possible")


class StaleHypotheses(RuntimeError):
    """Hypotheses of an earlier step are asked for, and no longer there."""


class ResidentRows:
    """The hypotheses of a graph as they are in a table.

    An array that is read is copied, once: others keep what they read, as they may with
    arrays that are made anew on every step. What is written to a copy, or in its place,
    is taken over by the table before its next update.

    A table on a device hands out what stands for an array, a `Deferred`, which is
    copied later or never.
    """

    def __init__(self, table: Segments, segment: int) -> None:
        self._table: Segments | None = table
        self._segment = segment
        self._deferred: dict[str, weakref.ref[Deferred]] = {}
        self.read_arrays: dict[str, npt.NDArray] = {}

    def read(self, column: str) -> npt.NDArray:
        """Return an array; the same one when it is asked for again."""
        array = self.read_arrays.get(column)
        if array is not None:
            return array
        if self._table is None:
            raise StaleHypotheses(
                f"the {column} of hypotheses of an earlier step are gone, as they "
                "were not read then; take a copy of what is to be kept"
            )
        array = self._table.column(self._segment, column)
        if isinstance(array, Deferred):
            # Those that nobody keeps need not be copied when the table changes.
            array.fetch_into = self.read_arrays
            before = self._deferred.get(column)
            before = None if before is None else before()
            if before is not None:
                return before
            self._deferred[column] = weakref.ref(array)
        else:
            self.read_arrays[column] = array
        return array

    def most_likely(self) -> tuple[float, int] | None:
        """Return the highest evidence, and the first hypothesis that has it.

        Returns:
            They are -inf and -1 without hypotheses. None if arrays must be read: they
            may have been written to, or the table does not know.
        """
        if self.read_arrays or self._table is None:
            return None
        return self._table.most_likely(self._segment)

    def write(self, column: str, values: npt.NDArray) -> None:
        """Put an array in the place of one."""
        self.read_arrays[column] = values

    def leave_table(self, *, keep: bool) -> None:
        """Be independent of the table, which is about to change.

        Args:
            keep: Whether somebody may still read what has not been read yet.
        """
        if self._deferred:
            for reference in self._deferred.values():
                deferred = reference()
                if deferred is not None:
                    deferred.fetch()
            self._deferred = {}
        if keep and self._table is not None:
            for column in _COLUMNS:
                array = self.read(column)
                if isinstance(array, Deferred):
                    array.fetch()
        self._table = None

    def renew(self, table: Segments) -> None:
        """Be what the table holds now."""
        self._table = table
        if self.read_arrays:
            self.read_arrays = {}


class Deferred:
    """Stands for an array that is copied when it must be.

    It has the attribute `fetch_into`: where to put the copy, by the name of the column.
    """

    __slots__ = ()

    def fetch(self) -> npt.NDArray:
        """Return the copy, made now or before."""
        raise NotImplementedError


@dataclass
class _Handed:
    rows: ResidentRows
    kept_as: Any


class Residents:
    """Knows which hypotheses of a table are in whose hands."""

    def __init__(self, table: Segments) -> None:
        self._table = table
        self._handed: dict[int, _Handed] = {}
        self._reusable: dict[int, _Handed] = {}

    def take_back(self, segment: int, graph_id: str, state: EvidenceState) -> None:
        """Bring a segment to what a learning module has as its hypotheses.

        Args:
            segment: The segment.
            graph_id: The graph.
            state: The learning module's state.
        """
        current = state.hypotheses(graph_id)
        handed = self._handed.pop(segment, None)
        is_ours = handed is not None and current is handed.kept_as
        if current is None:
            self._table.restart(segment)
        elif is_ours:
            if handed.rows.read_arrays:
                self._take_over(segment, handed.rows)
        else:
            arrays = [np.ma.getdata(getattr(current, name)) for name in _COLUMNS]
            self._table.assign(segment, HypothesisRows(*arrays))
        if handed is not None:
            # Of us and of the call that counts; of the learning module and a variable.
            ours = 4 if is_ours else 2
            others = sys.getrefcount(handed.kept_as) - ours
            handed.rows.leave_table(keep=others > 0)
            if is_ours and others == 0:
                self._reusable[segment] = handed

    def hand_out(self, segment: int, graph_id: str, state: EvidenceState) -> None:
        """Let a learning module have what a segment holds now."""
        handed = self._reusable.pop(segment, None)
        if handed is not None:
            # Nobody else has seen it, so that it can be what it now stands for.
            handed.rows.renew(self._table)
        else:
            rows = ResidentRows(self._table, segment)
            handed = _Handed(rows, state.keep_hypotheses(graph_id, rows))
        self._handed[segment] = handed

    def release(self, lm_id: str) -> list[int]:
        """Leave its hypotheses to a learning module.

        Args:
            lm_id: The learning module.

        Returns:
            The segments that held them. They still do.
        """
        keys = self._table.keys
        released = [one for one in self._handed if keys[one].learning_module == lm_id]
        for segment in released:
            self._handed.pop(segment).rows.leave_table(keep=True)
        return released

    def forget(self) -> None:
        """Leave all hypotheses to those who have them."""
        for handed in self._handed.values():
            handed.rows.leave_table(keep=True)
        self._handed.clear()

    def _take_over(self, segment: int, rows: ResidentRows) -> None:
        count = self._table.counts[segment]
        read = {k: np.ma.getdata(v) for k, v in rows.read_arrays.items()}
        if any(len(values) != count for values in read.values()):
            arrays = [np.ma.getdata(np.asarray(rows.read(name))) for name in _COLUMNS]
            self._table.assign(segment, HypothesisRows(*arrays))
            return
        for column, values in read.items():
            self._table.write(segment, column, values)
