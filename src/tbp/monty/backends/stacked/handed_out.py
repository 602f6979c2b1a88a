# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What one learning module was handed out of a table of hypotheses."""

from __future__ import annotations

import weakref
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Mapping,
    MutableMapping,
    Protocol,
    Sequence,
)

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.stacked.lazy_dict import LATER, LazyDict
from tbp.monty.backends.stacked.waiting_votes import WaitingVotes
from tbp.monty.backends.tables.displacing import Moves
from tbp.monty.backends.tables.segments import Deferred, Segments

if TYPE_CHECKING:
    from tbp.monty.backends.tables.engine import Engine

__all__ = [
    "MOST_WAITING",
    "HandedOut",
    "HypothesesByGraph",
    "Rows",
    "is_handed_out",
]

MOST_WAITING = 64
"""How many displacements may wait. More take memory, and time when they are read."""


class Rows(Protocol):
    """What is asked of `ResidentRows`."""

    arrays: dict[str, npt.NDArray]
    displacements: Sequence[npt.NDArray[np.float64]]

    def displaced(self, displacement: npt.NDArray[np.float64]) -> Rows: ...

    def leave_table(self) -> None: ...


class HandedOut:
    """Tracks which hypotheses of a table a learning module has, and may have changed.

    Rows are held by weak references: those that nobody has need not be copied.

    Attributes:
        table: The table.
        engine: What computes on it.
        votes: Votes that wait to be added, for all segments of the table.
        waiting: The segments of this learning module for which votes wait.
        segments: The segment of each graph.
        updated: The segments that were updated last.
        updated_set: The same as a set.
        graph_ids: Their graphs.
        hypotheses: Returns the mapping that was handed out, or None if it is gone.
        rows: For each segment that somebody has asked for, what returns its newest
            rows, or None if they are gone.
        displacements: How the other segments move before they are read or updated.
        former: The same for rows that were replaced by displaced ones since the last
            update.
        touched: The segments that were read or written to since they were handed out.
        highest: The highest evidence of each of `graph_ids`; None if it is not known.
        is_empty: Which of these have no hypotheses; None if all have some.
        is_updating: Whether an update of the segments runs.
        deferred: Columns that somebody has and that are not copied yet, by segment
            and name.
    """

    def __init__(self, table: Segments, engine: Engine, votes: WaitingVotes) -> None:
        self.table = table
        self.engine = engine
        self.votes = votes
        self.waiting: set[int] = set()
        self.segments: dict[str, int] = {}
        self.updated: Sequence[int] = ()
        self.updated_set: frozenset[int] = frozenset()
        self.graph_ids: Sequence[str] = ()
        self.hypotheses: Callable[[], HypothesesByGraph | None] = _nobody
        self.rows: dict[int, Callable[[], Rows | None]] = {}
        self.displacements: Sequence[npt.NDArray[np.float64]] = ()
        self.former: list[Callable[[], Rows | None]] = []
        self.touched: set[int] = set()
        self.highest: npt.NDArray[np.float64] | None = None
        self.is_empty: npt.NDArray[np.bool_] | None = None
        self.is_updating = False
        self.deferred: MutableMapping[tuple[int, str], Deferred] = (
            weakref.WeakValueDictionary()
        )

    def as_updated(
        self, segments: Sequence[int], hypotheses: Mapping[str, Any]
    ) -> HypothesesByGraph | None:
        """Return the hypotheses of a learning module that it cannot have changed.

        Args:
            segments: The segments to update; for the same graphs, the same object as
                on the last update.
            hypotheses: What it has as its hypotheses.

        Returns:
            These hypotheses; None if it may have changed them.
        """
        if segments is not self.updated or self.touched:
            return None
        ours = self.hypotheses()
        return ours if ours is hypotheses and not ours.is_changed else None

    def held_by_lm(
        self, hypotheses: Mapping[str, Any], graph_ids: Sequence[str]
    ) -> list[Any]:
        """Return what a learning module has now of each graph.

        Returns:
            `LATER` where it has what it was handed out and nobody has asked for that;
            None where it has nothing.
        """
        ours = self.hypotheses()
        get = hypotheses.get if ours is None or ours is not hypotheses else ours.peek
        return list(map(get, graph_ids))

    def last_rows(self, segment: int) -> Rows | None:
        """Return the rows that were handed out last, if somebody still has them."""
        return self.rows.get(segment, _nobody)()

    def keep_former(self, rows: Rows) -> None:
        """Keep track of rows that were displaced, while somebody has them."""
        self.has_former()  # forgets those that nobody has
        self.former.append(weakref.ref(rows))

    def has_former(self) -> bool:
        """Return whether somebody has rows that were displaced.

        The newest ones that nobody has are forgotten; most often that is all.
        """
        while self.former and self.former[-1]() is None:
            self.former.pop()
        return bool(self.former)

    def moves(self) -> Moves:
        """Return by which displacements segments are behind what was handed out.

        Returns:
            Those of `updated`, and of others that nobody has asked for.
        """
        ours, moves = self.hypotheses(), {}
        if ours is not None and self.displacements:
            for graph_id in ours.not_asked_for():
                moves[self.segments[graph_id]] = self.displacements
        for segment, get_rows in self.rows.items():
            rows = get_rows() if segment in self.updated_set else None
            if rows is not None and rows.displacements:
                moves[segment] = rows.displacements
        return moves

    def settle(self) -> None:
        """Add votes that wait."""
        if self.waiting:
            self.votes.settle()

    def replace_highest(self, segment: int, highest: float) -> None:
        """Set the highest evidence of a segment, if that is known."""
        # Graphs that sensed nothing on the last step were not updated with the others.
        if self.highest is not None and segment in self.updated_set:
            self.highest[self.updated.index(segment)] = highest

    def highest_now(
        self, graph_ids: Sequence[str], hypotheses: HypothesesByGraph
    ) -> tuple[Sequence[str], npt.NDArray[np.float64]] | None:
        """Return the highest evidence of hypotheses that may have been changed.

        Args:
            graph_ids: All graphs that the learning module knows.
            hypotheses: Its hypotheses, by graph.

        Returns:
            The graphs that have hypotheses, and their highest evidence; None if there
            are none, or if graphs or hypotheses are others than those that were
            updated. The array is shared: do not write to it.
        """
        highest = self.highest
        if highest is None or not graph_ids or graph_ids != self.graph_ids:
            return None
        if self.waiting:
            self.votes.settle()
        # With former rows, what was handed out last may not be what it has.
        is_changed = hypotheses.is_changed or self.hypotheses() is not hypotheses
        if is_changed or (self.former and self.has_former()):
            held = self.held_by_lm(hypotheses, graph_ids)
            last = map(self.last_rows, self.updated)
            if not all(map(is_handed_out, held, last)):
                return None
        if self.touched or self.is_empty is not None:
            return self._read_again(highest.copy())
        return self.graph_ids, highest

    def _read_again(
        self, highest: npt.NDArray[np.float64]
    ) -> tuple[Sequence[str], npt.NDArray[np.float64]] | None:
        """Return what `highest_now` does: whoever has read may have written."""
        graph_ids, is_empty = self.graph_ids, self.is_empty
        for segment in self.touched.intersection(self.updated):
            i = self.updated.index(segment)
            rows = self.last_rows(segment)
            evidence = None if rows is None else rows.arrays.get("evidence")
            if evidence is None:
                continue
            if (len(evidence) == 0) != (is_empty is not None and is_empty[i]):
                return None
            if len(evidence):
                is_array = isinstance(evidence, np.ndarray)
                highest[i] = evidence.max() if is_array else np.max(evidence)
        if is_empty is None:
            return graph_ids, highest
        filled = np.flatnonzero(~is_empty)
        some = [graph_ids[i] for i in filled.tolist()]
        return (some, highest[filled]) if some else None

    def copy_what_others_have(self) -> None:
        """Copy columns and former rows that somebody has: the table will change."""
        if self.deferred:  # iterating takes longer than looking
            for deferred in list(self.deferred.values()):
                deferred.fetch()
            self.deferred.clear()
        for former in self.former:
            rows = former()
            if rows is not None:
                rows.leave_table()
        self.former.clear()

    def leave_to_others(self, segments: frozenset[int]) -> None:
        """Copy rows that somebody has, and forget them: the segments will change."""
        for segment in segments.intersection(self.rows):
            rows = self.rows[segment]()
            if rows is not None:
                rows.leave_table()
            del self.rows[segment]

    def give_up(self) -> None:
        """Leave all hypotheses to the learning module."""
        self.highest = None
        self.hypotheses = _nobody


def _nobody() -> None:
    return None


class HypothesesByGraph(LazyDict[Any]):
    """The hypotheses that a learning module was handed out, by graph.

    Attributes:
        handed_out: Tracks them.
    """

    def __init__(
        self, hypotheses: Mapping[str, Any], handed_out: HandedOut, rows_class: type
    ) -> None:
        """Begin with the hypotheses that a learning module has.

        Args:
            hypotheses: These hypotheses.
            handed_out: Tracks those that it is handed out.
            rows_class: What stands for the hypotheses of a graph; see `ResidentRows`.
        """
        super().__init__(hypotheses)
        self.handed_out = handed_out
        self._rows_class = rows_class
        self._asked: dict[str, Any] = {}

    @property
    def is_kept(self) -> bool:
        """Whether a table keeps these hypotheses for their learning module."""
        return self.handed_out.hypotheses() is self

    def make(self, graph_id: str) -> Any:
        handed_out = self.handed_out
        segment = handed_out.segments[graph_id]
        rows = self._rows_class(handed_out.table, segment, handed_out)
        rows.displacements = handed_out.displacements
        handed_out.rows[segment] = weakref.ref(rows)
        return rows

    def to_ask(self, graph_id: str) -> Any:
        """Return the hypotheses of a graph, for a question about some of them.

        On most steps a learning module only asks for its most likely hypothesis. Then
        nothing is handed out that would have to be displaced or taken back.

        Returns:
            What the learning module has, or else rows whose arrays must not be read.
        """
        rows = dict.__getitem__(self, graph_id)
        if rows is not LATER:
            return rows
        handed_out = self.handed_out
        rows = self._asked.get(graph_id)
        if rows is None:
            segment = handed_out.segments[graph_id]
            rows = self._rows_class(handed_out.table, segment, handed_out)
            self._asked[graph_id] = rows
        rows.displacements = handed_out.displacements
        return rows

    def put_off(self, keys: Sequence[str]) -> None:
        super().put_off(keys)
        self._asked.clear()

    def displace(
        self, displacement: npt.NDArray[np.float64]
    ) -> Sequence[tuple[str, Any]]:
        """Displace the hypotheses that the table holds.

        Args:
            displacement: How the sensor has moved, shape (3,).

        Returns:
            Those that it does not hold as they are, and their graphs.
        """
        handed_out = self.handed_out
        waiting = handed_out.displacements
        if handed_out.is_updating or len(waiting) == MOST_WAITING:
            return list(self.items())
        others = []
        for graph_id, rows in self.asked_for():
            last = handed_out.last_rows(handed_out.segments.get(graph_id, -1))
            if last is not None and last is rows:
                dict.__setitem__(self, graph_id, rows.displaced(displacement))
            else:
                others.append((graph_id, rows))
        handed_out.displacements = [*waiting, displacement.copy()]
        return others


def is_handed_out(held: Any, last: Rows | None) -> bool:
    """Return whether a learning module has of a graph what it was handed out last."""
    return held is LATER or (held is not None and held is last)
