# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Keeps a table and the hypotheses of learning modules the same."""

from __future__ import annotations

import operator
import weakref
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.stacked.handed_out import HandedOut, HighestEvidence, Rows
from tbp.monty.backends.stacked.resident_rows import ResidentRows
from tbp.monty.backends.stacked.resident_state import ResidentState
from tbp.monty.backends.stacked.waiting_votes import WaitingVotes
from tbp.monty.backends.tables.displacing import Moves
from tbp.monty.backends.tables.engine import Engine
from tbp.monty.backends.tables.segments import COLUMNS, Segments

__all__ = ["Residents"]


class Residents:
    """Knows what learning modules were handed out of a table.

    On each update a learning module gets new `ResidentRows` in place of those it has.
    Former ones that still exist then are somebody else's, and are copied.
    """

    def __init__(self, table: Segments, engine: Engine) -> None:
        """Begin with nothing handed out.

        Args:
            table: The table.
            engine: What made it.
        """
        self._table = table
        self._engine = engine
        self._votes = WaitingVotes(table, engine)
        self._handed_out: dict[str, HandedOut] = {}

    def begin_update(
        self,
        lm_id: str,
        segments: Sequence[int],
        graph_ids: Sequence[str],
        state: ResidentState,
    ) -> list[tuple[int, str]]:
        """Bring segments to what a learning module has as its hypotheses.

        From then on it has what the segments hold. They can be read again after
        `end_update`.

        Args:
            lm_id: The learning module.
            segments: All segments of it that are to be updated.
            graph_ids: Their graphs.
            state: The learning module's state.

        Returns:
            Segments that were changed, and their graphs.
        """
        handed_out = self._handed_out.get(lm_id)
        if handed_out is None:
            handed_out = self._handed_out[lm_id] = HandedOut(self._engine, self._votes)
        handed_out.settle()
        handed_out.highest = None
        handed_out.copy_what_others_have()
        current = handed_out.current(segments)
        changed = self._take_over(
            handed_out, segments, graph_ids, state.hypotheses, current
        )
        moves = _waiting_moves(segments, current)
        del current  # so that rows which nobody else holds are gone
        rows = state.keep_rows(graph_ids, self._table, segments, handed_out)
        for former in handed_out.current(segments):
            if former is not None:
                former.leave_table()
        handed_out.rows.update(zip(segments, map(weakref.ref, rows), strict=True))
        # From here on nothing can be read, also after an interrupt.
        handed_out.is_updating = True
        if moves:
            self._engine.displace(self._table, moves)
        if handed_out.touched:
            handed_out.touched.difference_update(segments)
        return changed

    def end_update(
        self,
        lm_id: str,
        segments: Sequence[int],
        graph_ids: Sequence[str],
        highest: npt.NDArray[np.float64] | None,
        is_empty: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        """Let a learning module read its hypotheses again.

        Args:
            lm_id: The learning module.
            segments: The segments of the graphs that were updated.
            graph_ids: The graphs.
            highest: Their highest evidence; None if it is not known. It is kept.
            is_empty: Which have no hypotheses; None if all have some.
        """
        handed_out = self._handed_out.get(lm_id)
        if handed_out is None:
            return
        handed_out.is_updating = False
        if highest is not None:
            handed_out.highest = HighestEvidence(
                graph_ids, segments, handed_out, highest, is_empty
            )

    def release(self, lm_id: str) -> list[int]:
        """Stop keeping a learning module's hypotheses; copy those in use.

        Args:
            lm_id: The learning module.

        Returns:
            The segments that held them. They still do.
        """
        handed_out = self._handed_out.pop(lm_id, None)
        if handed_out is None:
            return []
        handed_out.settle()
        handed_out.copy_what_others_have()
        for reference in handed_out.rows.values():
            rows = reference()
            if rows is not None:
                rows.leave_table()
        return list(handed_out.rows)

    def forget(self) -> None:
        """Leave all hypotheses to those who have them."""
        for lm_id in list(self._handed_out):
            self.release(lm_id)

    def _take_over(
        self,
        handed_out: HandedOut,
        segments: Sequence[int],
        graph_ids: Sequence[str],
        hypotheses: Mapping[str, Any],
        current: Sequence[Rows | None],
    ) -> list[tuple[int, str]]:
        """Write to the table what learning modules have changed or put in its place."""
        # Asked on every step, of all graphs of all learning modules.
        present = list(map(hypotheses.get, graph_ids))
        is_ours = list(map(operator.is_, present, current))
        if not handed_out.touched and all(is_ours) and all(present):  # nothing is None
            return []
        changed, gone = [], []
        for i, segment in enumerate(segments):
            now, rows = present[i], current[i]
            if is_ours[i] and now is not None and segment not in handed_out.touched:
                continue
            changed.append((segment, graph_ids[i]))
            if not is_ours[i] and rows is not None:
                rows.leave_table()
            if now is None:
                gone.append(segment)
            elif not is_ours[i]:
                self._assign(segment, now)
            elif now.arrays:
                self._write(segment, now)
        if gone:
            self._table.restart(gone)
        return changed

    def _write(self, segment: int, rows: ResidentRows) -> None:
        count = self._table.counts[segment]
        arrays = {name: np.ma.getdata(one) for name, one in rows.arrays.items()}
        if any(len(values) != count for values in arrays.values()):
            self._assign(segment, rows)
            return
        for column, values in arrays.items():
            self._table.write(segment, column, values)

    def _assign(self, segment: int, hypotheses: Any) -> None:
        arrays = [np.asarray(getattr(hypotheses, name)) for name in COLUMNS]
        self._table.assign(segment, HypothesisRows(*map(np.ma.getdata, arrays)))


def _waiting_moves(segments: Sequence[int], rows: Sequence[Rows | None]) -> Moves:
    """Return by which displacements segments are behind their rows."""
    return {
        segment: one.displacements
        for segment, one in zip(segments, rows, strict=True)
        if one is not None and one.displacements and "locations" not in one.arrays
    }
