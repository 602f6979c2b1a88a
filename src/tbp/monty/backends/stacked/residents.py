# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Keeps a table consistent with the hypotheses that learning modules have."""

from __future__ import annotations

import weakref
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.stacked.handed_out import (
    HandedOut,
    HypothesesByGraph,
    is_handed_out,
)
from tbp.monty.backends.stacked.lazy_dict import LATER
from tbp.monty.backends.stacked.resident_rows import ResidentRows
from tbp.monty.backends.stacked.resident_state import ResidentState
from tbp.monty.backends.stacked.waiting_votes import WaitingVotes
from tbp.monty.backends.tables.displacing import Moves, displace
from tbp.monty.backends.tables.engine import Engine
from tbp.monty.backends.tables.segments import COLUMNS, Segments

__all__ = ["Residents"]


class Residents:
    """Hands hypotheses of a table out to learning modules, and takes changes back.

    On each update a learning module gets new `ResidentRows` in place of those it has.
    Former ones that still exist then are somebody else's, and are copied.

    Attributes:
        moves: How segments must still move before their update. The engine moves them
            when it begins, and clears this.
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
        self.moves: Moves = {}

    def begin_update(
        self,
        lm_id: str,
        segments: Sequence[int],
        graph_ids: Sequence[str],
        state: ResidentState,
    ) -> list[tuple[int, str]]:
        """Bring segments, but for `moves`, to what a learning module has.

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
            handed_out = HandedOut(self._table, self._engine, self._votes)
            self._handed_out[lm_id] = handed_out
        handed_out.settle()
        handed_out.highest = None
        handed_out.copy_what_others_have()
        changed = []
        hypotheses = handed_out.as_updated(segments, state.hypotheses)
        if hypotheses is None:
            handed_out.segments.update(zip(graph_ids, segments, strict=True))
            handed_out.updated, handed_out.updated_set = segments, frozenset(segments)
            handed_out.graph_ids = graph_ids
            changed = self._take_over(handed_out, graph_ids, state.hypotheses)
            hypotheses = _by_graph(handed_out, state)
        if handed_out.rows or handed_out.displacements:
            moves = handed_out.moves()
            hypotheses.put_off(graph_ids)
            handed_out.leave_to_others(handed_out.updated_set)
            # Together: displacements that are in both would move hypotheses twice.
            self.moves.update(moves)
            handed_out.displacements = ()
        else:
            hypotheses.put_off(graph_ids)
        # From here on nothing can be read, also after an interrupt.
        handed_out.is_updating = True
        if handed_out.touched:
            handed_out.touched.difference_update(segments)
        return changed

    def end_update(
        self,
        lm_id: str,
        highest: npt.NDArray[np.float64] | None,
        is_empty: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        """Let a learning module read its hypotheses again.

        Args:
            lm_id: The learning module.
            highest: The highest evidence of each graph that was updated; None if it is
                not known. It is kept.
            is_empty: Which have no hypotheses; None if all have some.
        """
        handed_out = self._handed_out.get(lm_id)
        if handed_out is None:
            return
        if self.moves:
            # The update failed before it began. Perhaps memory ran out, so that this
            # must not need any.
            displace(self._table, self.moves)
            self.moves.clear()
        handed_out.is_updating = False
        handed_out.highest, handed_out.is_empty = highest, is_empty

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
        hypotheses = handed_out.hypotheses()
        if hypotheses is not None:
            hypotheses.make_all()  # so that they can be copied
        segments = list(handed_out.segments.values())
        handed_out.leave_to_others(frozenset(segments))
        handed_out.give_up()
        return segments

    def forget(self) -> None:
        """Leave all hypotheses to those who have them."""
        for lm_id in list(self._handed_out):
            self.release(lm_id)

    def _take_over(
        self,
        handed_out: HandedOut,
        graph_ids: Sequence[str],
        hypotheses: Mapping[str, Any],
    ) -> list[tuple[int, str]]:
        """Write to the table what a learning module has changed or put in its place.

        Returns:
            Segments that were changed, and their graphs.
        """
        former, segments = handed_out.hypotheses(), handed_out.updated
        if former is not None and former is not hypotheses:
            former.make_all()  # somebody has them
        all_held = handed_out.held_by_lm(hypotheses, graph_ids)
        changed, gone = [], []
        for graph_id, segment, held in zip(graph_ids, segments, all_held, strict=True):
            last = handed_out.last_rows(segment)
            is_ours = is_handed_out(held, last)
            if is_ours and segment not in handed_out.touched:
                continue
            changed.append((segment, graph_id))
            if not is_ours and last is not None:
                last.leave_table()
            if held is None:
                gone.append(segment)
            elif not is_ours:
                self._assign(segment, held)
            elif held is not LATER and held.arrays:
                self._write(segment, held)
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


def _by_graph(handed_out: HandedOut, state: ResidentState) -> HypothesesByGraph:
    """Return what a learning module has as its hypotheses, made if need be."""
    hypotheses = handed_out.hypotheses()
    if hypotheses is None or hypotheses is not state.hypotheses:
        hypotheses = HypothesesByGraph(state.hypotheses, handed_out, state.rows_class)
        state.hypotheses = hypotheses
        handed_out.hypotheses = weakref.ref(hypotheses)
    return hypotheses
