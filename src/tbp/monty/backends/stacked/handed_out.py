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

import weakref
from typing import TYPE_CHECKING, Callable, MutableMapping, Sequence

from tbp.monty.backends.stacked.waiting_votes import WaitingVotes
from tbp.monty.backends.tables.segments import Deferred

if TYPE_CHECKING:
    from tbp.monty.backends.stacked.highest_evidence import HighestEvidence
    from tbp.monty.backends.stacked.resident_rows import ResidentRows
    from tbp.monty.backends.tables.engine import Engine

__all__ = ["HandedOut"]


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
        self.rows: dict[int, Callable[[], ResidentRows | None]] = {}
        self.former: MutableMapping[int, ResidentRows] = weakref.WeakValueDictionary()
        self.touched: set[int] = set()
        self.highest: HighestEvidence | None = None
        self.is_updating = False
        self.deferred: MutableMapping[tuple[int, str], Deferred] = (
            weakref.WeakValueDictionary()
        )

    def current(self, segments: Sequence[int]) -> list[ResidentRows | None]:
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
