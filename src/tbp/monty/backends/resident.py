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
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.tables import HypothesisRows, HypothesisTable, SegmentKey
from tbp.monty.backends.work import EvidenceState

__all__ = ["ResidentRows", "Residents", "StaleHypotheses"]

_COLUMNS = ("evidence", "locations", "poses", "possible")


class StaleHypotheses(RuntimeError):
    """Hypotheses of an earlier step are asked for, and no longer there."""


class ResidentRows:
    """The hypotheses of a graph as they are in a table.

    An array that is read is copied, once: others keep what they read, as they may with
    arrays that are made anew on every step. What is written to a copy, or in its place,
    is taken over by the table before its next update.
    """

    def __init__(self, table: HypothesisTable, segment: int) -> None:
        self._table: HypothesisTable | None = table
        self._segment = segment
        self.read_arrays: dict[str, npt.NDArray] = {}

    def read(self, column: str) -> npt.NDArray:
        """Return an array; the same one when it is asked for again."""
        if column not in self.read_arrays:
            if self._table is None:
                raise StaleHypotheses(
                    f"the {column} of hypotheses of an earlier step are gone, as they "
                    "were not read then; take a copy of what is to be kept"
                )
            rows = self._table.segment(self._segment)
            self.read_arrays[column] = getattr(self._table, column)[rows].copy()
        return self.read_arrays[column]

    def write(self, column: str, values: npt.NDArray) -> None:
        """Put an array in the place of one."""
        self.read_arrays[column] = values

    def leave_table(self, *, keep: bool) -> None:
        """Be independent of the table, which is about to change.

        Args:
            keep: Whether somebody may still read what has not been read yet.
        """
        if keep and self._table is not None:
            for column in _COLUMNS:
                self.read(column)
        self._table = None


@dataclass
class _Handed:
    rows: ResidentRows
    kept_as: Any


class Residents:
    """Knows which hypotheses of a table are in whose hands."""

    def __init__(self, table: HypothesisTable) -> None:
        self._table = table
        self._handed: dict[SegmentKey, _Handed] = {}

    def take_back(self, key: SegmentKey, graph_id: str, state: EvidenceState) -> int:
        """Bring a segment to what a learning module has as its hypotheses.

        Args:
            key: The segment.
            graph_id: The graph.
            state: The learning module's state.

        Returns:
            The index of the segment.
        """
        segment = self._table.index(key)
        current = state.hypotheses(graph_id)
        handed = self._handed.pop(key, None)
        if current is None:
            self._table.restart(segment)
        elif handed is not None and current is handed.kept_as:
            self._take_over(segment, handed.rows)
        else:
            arrays = [np.ma.getdata(getattr(current, name)) for name in _COLUMNS]
            self._table.assign(segment, HypothesisRows(*arrays))
        if handed is not None:
            # Of us and of the call that counts; of the learning module and a variable.
            ours = 4 if current is handed.kept_as else 2
            others = sys.getrefcount(handed.kept_as) - ours
            handed.rows.leave_table(keep=others > 0)
        return segment

    def hand_out(self, key: SegmentKey, graph_id: str, state: EvidenceState) -> None:
        """Let a learning module have what a segment holds now."""
        rows = ResidentRows(self._table, self._table.index(key))
        self._handed[key] = _Handed(rows, state.keep_hypotheses(graph_id, rows))

    def forget(self) -> None:
        """Leave all hypotheses to those who have them."""
        for handed in self._handed.values():
            handed.rows.leave_table(keep=True)
        self._handed.clear()

    def _take_over(self, segment: int, rows: ResidentRows) -> None:
        count = self._table.counts[segment]
        read = {k: np.ma.getdata(v) for k, v in rows.read_arrays.items()}
        if any(len(values) != count for values in read.values()):
            arrays = [np.ma.getdata(rows.read(name)) for name in _COLUMNS]
            self._table.assign(segment, HypothesisRows(*arrays))
            return
        place = self._table.segment(segment)
        for column, values in read.items():
            getattr(self._table, column)[place] = values
