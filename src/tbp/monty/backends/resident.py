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

import operator
import sys
import weakref
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.tables import HypothesisRows, Segments
from tbp.monty.backends.work import EvidenceState

__all__ = [
    "Deferred",
    "HighestEvidence",
    "ResidentRows",
    "Residents",
    "StaleHypotheses",
]

_COLUMNS = ("evidence", "locations", "poses", "possible")

_OURS = 3
"""References to hypotheses: of us, of the learning module, of the call that counts."""


class StaleHypotheses(RuntimeError):
    """Hypotheses of an earlier step are asked for, and no longer there."""


class ResidentRows:
    """The hypotheses of a graph as they are in a table.

    An array that is read is copied, once: others keep what they read, as they may with
    arrays that are made anew on every step. What is written to a copy, or in its place,
    is taken over by the table before its next update.

    A table on a device hands out what stands for an array, a `Deferred`, which is
    copied later or never.

    Attributes:
        read_arrays: What has been read, or put in its place, by column.
        highest: The highest evidence of all graphs of the learning module, if known.
    """

    def __init__(self, table: Segments, segment: int, touched: set[int]) -> None:
        """Stand for a segment.

        Args:
            table: The table.
            segment: The segment.
            touched: Where to put the segment when it is read or written to.
        """
        self._table: Segments | None = table
        self._segment = segment
        self._touched = touched
        self._deferred: dict[str, weakref.ref[Deferred]] = {}
        self.read_arrays: dict[str, npt.NDArray] = {}
        self.highest: HighestEvidence | None = None

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
        self._touched.add(self._segment)
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

    def write(self, column: str, values: npt.NDArray) -> None:
        """Put an array in the place of one."""
        self._touched.add(self._segment)
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
        self.highest = None

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


class HighestEvidence:
    """The highest evidence of each graph of a learning module, after an update."""

    def __init__(
        self,
        graph_ids: Sequence[str],
        rows: Sequence[ResidentRows],
        highest: npt.NDArray[np.float64],
        is_empty: npt.NDArray[np.bool_],
    ) -> None:
        self._graph_ids = graph_ids
        self._rows = rows
        self._highest = highest
        self._is_empty = is_empty

    def now(
        self, graph_ids: Sequence[str], hypotheses: Mapping[str, Any]
    ) -> tuple[list[str], npt.NDArray[np.float64]] | None:
        """Return what is true of hypotheses of which some may have been changed.

        Args:
            graph_ids: All graphs that the learning module knows.
            hypotheses: Its hypotheses, by graph.

        Returns:
            The graphs that have hypotheses, and their highest evidence; None if
            graphs or hypotheses are others than those that were updated.
        """
        if graph_ids != self._graph_ids:
            return None
        try:
            rows = list(map(_ROWS, map(hypotheses.get, graph_ids)))
        except AttributeError:  # not ours
            return None
        if not all(map(operator.is_, rows, self._rows)):
            return None
        highest, is_empty = self._highest.copy(), self._is_empty
        for i, one in enumerate(rows):
            evidence = one.read_arrays.get("evidence") if one.read_arrays else None
            if evidence is None:
                continue
            # Whoever has read it may have written to it.
            if (len(evidence) == 0) != is_empty[i]:
                return None
            if len(evidence):
                highest[i] = np.max(evidence)
        if not is_empty.any():
            return list(graph_ids), highest
        present = np.flatnonzero(~is_empty)
        return [graph_ids[i] for i in present], highest[present]


_ROWS = operator.attrgetter("_rows")


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
        self._touched: set[int] = set()

    def take_back(
        self, segments: Sequence[int], graph_ids: Sequence[str], state: EvidenceState
    ) -> list[tuple[int, str]]:
        """Bring segments to what a learning module has as its hypotheses.

        Args:
            segments: The segments.
            graph_ids: Their graphs.
            state: The learning module's state.

        Returns:
            Segments and their graphs that are to be handed out again. All others are
            still in the learning module's hands only, and were not looked at.
        """
        handed, touched, kept = self._handed, self._touched, state.hypotheses
        changed = [
            (segment, graph_ids[i])
            for i, segment in enumerate(segments)
            if segment in touched
            or segment not in handed
            or kept(graph_ids[i]) is not handed[segment].kept_as
            or sys.getrefcount(handed[segment].kept_as) > _OURS
        ]
        for segment, graph_id in changed:
            self._take_back(segment, graph_id, state)
            touched.discard(segment)
        return changed

    def hand_out(
        self, changed: Sequence[tuple[int, str]], state: EvidenceState
    ) -> None:
        """Let a learning module have what segments hold now.

        Args:
            changed: What was returned when they were taken back.
            state: The learning module's state.
        """
        for segment, graph_id in changed:
            handed = self._reusable.pop(segment, None)
            if handed is not None:
                # Nobody else has seen it, so that it can be what it now stands for.
                handed.rows.renew(self._table)
            else:
                rows = ResidentRows(self._table, segment, self._touched)
                handed = _Handed(rows, state.keep_hypotheses(graph_id, rows))
            self._handed[segment] = handed

    def note_highest(
        self,
        segments: Sequence[int],
        graph_ids: Sequence[str],
        highest: npt.NDArray[np.float64] | None,
    ) -> None:
        """Let a learning module know the highest evidence of each graph.

        Args:
            segments: The segments of the graphs that were updated.
            graph_ids: The graphs.
            highest: Their highest evidence; None if it is not known.
        """
        rows = [self._handed[segment].rows for segment in segments]
        known = None
        if highest is not None:
            is_empty = self._table.counts[segments] == 0
            known = HighestEvidence(graph_ids, rows, highest, is_empty)
        for one in rows:
            one.highest = known

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

    def _take_back(self, segment: int, graph_id: str, state: EvidenceState) -> None:
        handed = self._handed.pop(segment, None)
        is_ours = handed is not None and state.hypotheses(graph_id) is handed.kept_as
        if not is_ours:
            current = state.hypotheses(graph_id)
            if current is None:
                self._table.restart(segment)
            else:
                arrays = [np.ma.getdata(getattr(current, name)) for name in _COLUMNS]
                self._table.assign(segment, HypothesisRows(*arrays))
        elif handed.rows.read_arrays:
            self._take_over(segment, handed.rows)
        if handed is not None:
            others = sys.getrefcount(handed.kept_as) - (_OURS if is_ours else _OURS - 1)
            handed.rows.leave_table(keep=others > 0)
            if is_ours and others == 0:
                self._reusable[segment] = handed

    def _take_over(self, segment: int, rows: ResidentRows) -> None:
        count = self._table.counts[segment]
        read = {k: np.ma.getdata(v) for k, v in rows.read_arrays.items()}
        if any(len(values) != count for values in read.values()):
            arrays = [np.ma.getdata(np.asarray(rows.read(name))) for name in _COLUMNS]
            self._table.assign(segment, HypothesisRows(*arrays))
            return
        for column, values in read.items():
            self._table.write(segment, column, values)
