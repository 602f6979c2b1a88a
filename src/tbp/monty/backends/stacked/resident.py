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

import itertools
import operator
import sys
import weakref
from dataclasses import dataclass, field
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.stacked.resident_state import ResidentState
from tbp.monty.backends.tables.deferred import Deferred
from tbp.monty.backends.tables.segments import Segments

__all__ = [
    "HighestEvidence",
    "ResidentRows",
    "Residents",
    "StaleHypotheses",
]

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

    Attributes:
        read_arrays: What has been read, or put in its place, by column.
    """

    def __init__(self, table: Segments, segment: int, of_lm: _OfLM) -> None:
        """Stand for a segment.

        Args:
            table: The table.
            segment: The segment.
            of_lm: What is known of all segments of the learning module.
        """
        self._table: Segments | None = table
        self._segment = segment
        self._of_lm = of_lm
        self._deferred: dict[str, weakref.ref[Deferred]] = {}
        self.read_arrays: dict[str, npt.NDArray] = {}

    @property
    def highest(self) -> HighestEvidence | None:
        """The highest evidence of all graphs of the learning module, if known."""
        return None if self._table is None else self._of_lm.highest

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
        self._of_lm.touched.add(self._segment)
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
        self._of_lm.touched.add(self._segment)
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


class HighestEvidence:
    """The highest evidence of each graph of a learning module, after an update."""

    def __init__(
        self,
        graph_ids: Sequence[str],
        segments: Sequence[int],
        kept: Sequence[Any],
        touched: set[int],
        highest: npt.NDArray[np.float64],
        is_empty: npt.NDArray[np.bool_],
    ) -> None:
        """Note what is known.

        Args:
            graph_ids: The graphs.
            segments: Their segments.
            kept: What the learning module keeps as the hypotheses in these.
            touched: The segments that are read or written to from now on.
            highest: The highest evidence of each.
            is_empty: Which have no hypotheses.
        """
        self._graph_ids = graph_ids
        self._segments = segments
        self._kept = kept
        self._touched = touched
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
        if not all(map(operator.is_, map(hypotheses.get, graph_ids), self._kept)):
            return None
        highest, is_empty = self._highest.copy(), self._is_empty
        for i, segment in enumerate(self._segments) if self._touched else ():
            if segment not in self._touched:
                continue
            evidence = self._kept[i]._rows.read_arrays.get("evidence")
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


@dataclass
class _OfLM:
    """What is known of the segments of a learning module.

    Attributes:
        touched: Those that were read or written to since they were handed out.
        highest: The highest evidence, if it is known.
    """

    touched: set[int] = field(default_factory=set)
    highest: HighestEvidence | None = None


class Residents:
    """Knows which hypotheses of a table are in whose hands."""

    def __init__(self, table: Segments) -> None:
        self._table = table
        # By segment: what is in it, and what a learning module keeps as its hypotheses.
        self._rows: dict[int, ResidentRows] = {}
        self._kept: dict[int, Any] = {}
        self._reusable: dict[int, tuple[ResidentRows, Any]] = {}
        self._of_lm: dict[str, _OfLM] = {}
        # By learning module: segments that are not in its hands, and their graphs.
        self._taken: dict[str, list[tuple[int, str]]] = {}

    def take_back(
        self,
        lm_id: str,
        segments: Sequence[int],
        graph_ids: Sequence[str],
        state: ResidentState,
    ) -> list[tuple[int, str]]:
        """Bring segments to what a learning module has as its hypotheses.

        Also if this cannot be done with one of them, it is to be followed by
        `hand_out`: the others may have been taken back.

        Args:
            lm_id: The learning module.
            segments: All segments of it that are to be updated.
            graph_ids: Their graphs.
            state: The learning module's state.

        Returns:
            Segments that were taken back, and their graphs. All others are still in
            the learning module's hands only, and were not looked at.
        """
        of_lm = self._known_of(lm_id)
        touched, of_lm.highest = of_lm.touched, None
        is_ours, counts = _compare(self._kept, segments, state.hypotheses, graph_ids)
        changed = [
            i
            for i, segment in enumerate(segments)
            if segment in touched or not is_ours[i] or counts[i] > _OURS
        ]
        taken = self._taken.setdefault(lm_id, [])
        gone = []
        try:
            for i in changed:
                segment, current = segments[i], state.hypotheses.get(graph_ids[i])
                self._take_back(segment, current, is_ours[i], counts[i])
                taken.append((segment, graph_ids[i]))
                if current is None:
                    gone.append(segment)
        finally:
            self._table.restart(gone)
            touched.difference_update([segment for segment, _ in taken])
        return taken

    def hand_out(self, lm_id: str, state: ResidentState) -> None:
        """Let a learning module have what was taken back, as segments hold it now.

        Args:
            lm_id: The learning module.
            state: The learning module's state.
        """
        of_lm = self._known_of(lm_id)
        for segment, graph_id in self._taken.pop(lm_id, ()):
            rows, kept = self._reusable.pop(segment, (None, None))
            if rows is not None:
                # Nobody else has seen it, so that it can be what it now stands for.
                rows.renew(self._table)
            else:
                rows = ResidentRows(self._table, segment, of_lm)
                kept = state.keep_rows(graph_id, rows)
            self._rows[segment], self._kept[segment] = rows, kept

    def note_highest(
        self,
        lm_id: str,
        segments: Sequence[int],
        graph_ids: Sequence[str],
        highest: npt.NDArray[np.float64] | None,
        is_empty: npt.NDArray[np.bool_],
    ) -> None:
        """Let a learning module know the highest evidence of each graph.

        Args:
            lm_id: The learning module.
            segments: The segments of the graphs that were updated.
            graph_ids: The graphs.
            highest: Their highest evidence; None if it is not known.
            is_empty: Which have no hypotheses.
        """
        of_lm = self._known_of(lm_id)
        of_lm.highest = None
        if highest is not None:
            of_lm.highest = HighestEvidence(
                graph_ids,
                segments,
                list(map(self._kept.__getitem__, segments)),
                of_lm.touched,
                highest,
                is_empty,
            )

    def release(self, lm_id: str) -> list[int]:
        """Leave its hypotheses to a learning module.

        Args:
            lm_id: The learning module.

        Returns:
            The segments that held them. They still do.
        """
        keys = self._table.keys
        released = [one for one in self._rows if keys[one].learning_module == lm_id]
        for segment in released:
            self._rows.pop(segment).leave_table(keep=True)
            del self._kept[segment]
        of_lm = self._known_of(lm_id)
        of_lm.touched.difference_update(released)
        of_lm.highest = None
        return released

    def forget(self) -> None:
        """Leave all hypotheses to those who have them."""
        for rows in self._rows.values():
            rows.leave_table(keep=True)
        self._rows.clear()
        self._kept.clear()
        self._of_lm.clear()
        self._taken.clear()

    def _known_of(self, lm_id: str) -> _OfLM:
        known = self._of_lm.get(lm_id)
        if known is None:
            known = self._of_lm[lm_id] = _OfLM()
        return known

    def _take_back(
        self, segment: int, current: Any, is_ours: bool, references: int
    ) -> None:
        rows = self._rows.get(segment)
        if is_ours:
            if rows.read_arrays:
                self._take_over(segment, rows)
            has_others = references > _OURS
            rows.leave_table(keep=has_others)
            if not has_others:
                self._reusable[segment] = (rows, current)
        else:
            if rows is not None:
                # Before the table has others. Without the learning module, there is
                # one reference less.
                rows.leave_table(keep=references > _OURS - 1)
            if current is not None:
                arrays = [np.ma.getdata(getattr(current, name)) for name in _COLUMNS]
                self._table.assign(segment, HypothesisRows(*arrays))
        self._rows.pop(segment, None)
        self._kept.pop(segment, None)

    def _take_over(self, segment: int, rows: ResidentRows) -> None:
        count = self._table.counts[segment]
        read = {k: np.ma.getdata(v) for k, v in rows.read_arrays.items()}
        if any(len(values) != count for values in read.values()):
            arrays = [np.ma.getdata(np.asarray(rows.read(name))) for name in _COLUMNS]
            self._table.assign(segment, HypothesisRows(*arrays))
            return
        for column, values in read.items():
            self._table.write(segment, column, values)


def _compare(
    kept: Mapping[int, Any],
    segments: Sequence[int],
    hypotheses: Mapping[str, Any],
    graph_ids: Sequence[str],
) -> tuple[list[bool], list[int]]:
    """Tell which hypotheses a learning module still has, and who else has them.

    This is asked on every step, of all graphs of all learning modules.

    Args:
        kept: What was handed out, by segment.
        segments: The segments.
        hypotheses: What the learning module has, by graph.
        graph_ids: The graphs of the segments.

    Returns:
        For each segment whether the learning module has what was handed out, and how
        many references there are to that. It is `_OURS` if nobody else has one.
    """
    ours = list(map(kept.get, segments, itertools.repeat(_NOTHING)))
    is_ours = list(map(operator.is_, ours, map(hypotheses.get, graph_ids)))
    return is_ours, list(map(sys.getrefcount, ours))


_NOTHING = object()


def _references_without_others() -> int:
    """Return how many references are counted if nobody else has one."""
    handed_out = {0: object()}
    _, (count,) = _compare(handed_out, [0], {"": handed_out[0]}, [""])
    return count


_OURS = _references_without_others()
