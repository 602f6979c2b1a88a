# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The hypotheses of a table that a learning module was handed out."""

from __future__ import annotations

import operator
import weakref
from dataclasses import dataclass
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

from tbp.monty.backends.stacked.waiting_votes import WaitingVotes
from tbp.monty.backends.tables.segments import Deferred

if TYPE_CHECKING:
    from tbp.monty.backends.tables.engine import Engine

__all__ = ["HandedOut", "HighestEvidence", "Rows"]


class Rows(Protocol):
    """What is asked of `ResidentRows`."""

    arrays: dict[str, npt.NDArray]
    displacements: Sequence[npt.NDArray[np.float64]]

    def leave_table(self) -> None: ...


class HandedOut:
    """What a learning module has of a table, and what is known of that.

    Rows are held by weak references: those that nobody has need not be copied.

    Attributes:
        engine: What computes on the table.
        votes: The votes that wait, for these segments and those of others.
        waiting: The segments for which votes wait.
        rows: What the learning module has as its hypotheses, by segment.
        former: What it had before it displaced them, since the last update, by
            identity.
        touched: Those that were read or written to since they were handed out.
        highest: The highest evidence of each graph, if it is known.
        is_updating: Whether an update of the segments runs.
        deferred: Columns that somebody has and that are not copied yet, by segment
            and name.
    """

    def __init__(self, engine: Engine, votes: WaitingVotes) -> None:
        self.engine = engine
        self.votes = votes
        self.waiting: set[int] = set()
        self.rows: dict[int, Callable[[], Rows | None]] = {}
        self.former: MutableMapping[int, Rows] = weakref.WeakValueDictionary()
        self.touched: set[int] = set()
        self.highest: HighestEvidence | None = None
        self.is_updating = False
        self.deferred: MutableMapping[tuple[int, str], Deferred] = (
            weakref.WeakValueDictionary()
        )

    def current(self, segments: Sequence[int]) -> list[Rows | None]:
        """Return what the learning module was handed out, as far as it exists."""
        rows = self.rows
        return [rows.get(segment, _nobody)() for segment in segments]

    def settle(self) -> None:
        """Add votes that wait."""
        if self.waiting:
            self.votes.settle()

    def copy_what_others_have(self) -> None:
        """Copy columns and former rows that somebody has: the table will change."""
        if not self.deferred and not self.former:
            return  # most often; iterating takes longer than looking
        for deferred in list(self.deferred.values()):
            deferred.fetch()
        self.deferred.clear()
        for rows in list(self.former.values()):
            rows.leave_table()
        self.former.clear()


def _nobody() -> None:
    return None


@dataclass(eq=False)
class HighestEvidence:
    """The highest evidence of each graph of a learning module, after an update.

    Attributes:
        graph_ids: The graphs.
        segments: Their segments.
        handed_out: What the learning module has.
        highest: The highest evidence of each.
        is_empty: Which have no hypotheses; None if all have some.
    """

    graph_ids: Sequence[str]
    segments: Sequence[int]
    handed_out: HandedOut
    highest: npt.NDArray[np.float64]
    is_empty: npt.NDArray[np.bool_] | None

    def replace(self, segment: int, highest: float) -> None:
        """Set the highest evidence of a segment."""
        # Graphs that sensed nothing on the last step were not updated with the others.
        if segment in self.segments:
            self.highest[list(self.segments).index(segment)] = highest

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
        if graph_ids != self.graph_ids:
            return None
        self.handed_out.settle()
        touched = self.handed_out.touched
        rows = self.handed_out.current(self.segments)
        present = list(map(hypotheses.get, graph_ids))
        if not (all(map(operator.is_, present, rows)) and all(present)):  # no None
            return None
        highest, is_empty = self.highest.copy(), self.is_empty
        for i, segment in enumerate(self.segments) if touched else ():
            row = rows[i]
            if segment not in touched or row is None:
                continue
            evidence = row.arrays.get("evidence")
            if evidence is None:
                continue
            # Whoever has read it may have written to it.
            if (len(evidence) == 0) != (is_empty is not None and is_empty[i]):
                return None
            if len(evidence):
                is_array = isinstance(evidence, np.ndarray)
                highest[i] = evidence.max() if is_array else np.max(evidence)
        if is_empty is None:
            return list(graph_ids), highest
        filled = np.flatnonzero(~is_empty)
        return [graph_ids[i] for i in filled.tolist()], highest[filled]
