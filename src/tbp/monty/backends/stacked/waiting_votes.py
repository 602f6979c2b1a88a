# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Votes that wait until somebody reads what they change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numpy.votes import VotesForGraph
from tbp.monty.backends.tables.segments import Segments

if TYPE_CHECKING:
    from tbp.monty.backends.tables.engine import Engine

__all__ = ["WaitingVotes"]


class _Owner(Protocol):
    """What is asked of `HandedOut`."""

    waiting: set[int]

    def replace_highest(self, segment: int, highest: float) -> None: ...


class WaitingVotes:
    """Votes for segments of a table, to be added together.

    A learning module gets votes graph by graph, and one learning module after the
    other. A device adds all of them in the time of one.
    """

    def __init__(self, table: Segments, engine: Engine) -> None:
        self._table = table
        self._engine = engine
        self._votes: dict[int, VotesForGraph] = {}
        self._moves: dict[int, Sequence[npt.NDArray[np.float64]]] = {}
        self._owners: dict[int, _Owner] = {}

    def add(
        self,
        segment: int,
        votes: VotesForGraph,
        displacements: Sequence[npt.NDArray[np.float64]],
        owner: _Owner,
    ) -> None:
        """Let votes wait.

        Args:
            segment: The segment, which has hypotheses and no other votes that wait.
            votes: The votes.
            displacements: How its hypotheses move before.
            owner: What the segment's learning module was handed out.
        """
        self._votes[segment] = votes
        self._owners[segment] = owner
        owner.waiting.add(segment)
        if displacements:
            self._moves[segment] = displacements

    def settle(self) -> None:
        """Add all votes that wait."""
        votes, self._votes = self._votes, {}
        moves, self._moves = self._moves, {}
        owners, self._owners = self._owners, {}
        for owner in owners.values():
            owner.waiting.clear()
        if moves:
            self._engine.displace(self._table, moves)
        highest = self._engine.add_votes(self._table, votes)
        for segment, of_segment in zip(votes, highest, strict=True):
            owners[segment].replace_highest(segment, of_segment)
