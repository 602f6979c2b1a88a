# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs steps on tables: synchronously on a host, asynchronously on a device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Protocol, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numpy.votes import VotesForGraph
from tbp.monty.backends.tables.displacing import Moves
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.held import Held
from tbp.monty.backends.tables.kernel_work import KernelWork, UpdateResult
from tbp.monty.backends.tables.likely_rows import LikelyRows
from tbp.monty.backends.tables.segments import Segments

__all__ = ["Engine", "NewHypotheses", "Step"]


@dataclass(slots=True)
class NewHypotheses:
    """Hypotheses to add to a segment.

    Attributes:
        position: The segment, by its position in the work.
        match: The graph and what is sensed, by its position among the work's matches.
        graph: The index of the graph.
        node_count: How many nodes it has.
        poses: See `host_rows.Sample`.
        is_aligned: See `host_rows.Sample`.
        best: How many of them, those with the highest scores; None for all of them.
        head_start: See `host_rows.Sample`.
    """

    position: int
    match: int
    graph: int
    node_count: int
    poses: npt.NDArray[np.float64]
    is_aligned: bool = True
    best: int | None = None
    head_start: float = 0.0

    def __len__(self) -> int:
        nodes = self.node_count if self.best is None else self.best
        return nodes * len(self.poses)


class Step(Protocol):
    """The update of segments on one step; its parts are called in this order.

    `update` or `finish` raises UnusableNumbers; evidence and locations are unchanged
    then.
    """

    def delete_declining(self, least_slopes: npt.NDArray[np.float64]) -> None:
        """Delete hypotheses whose slope is too low, for each segment."""
        ...

    def update(self) -> None:
        """Displace hypotheses and update their evidence."""
        ...

    def mean_evidence(self, position: int) -> float:
        """Wait, and return the mean evidence of a segment."""
        ...

    def append(self, new: Sequence[NewHypotheses]) -> None:
        """Add hypotheses, those that the step was begun with; once for each match."""
        ...

    def record(self) -> None:
        """Record the evidence, and how many channels took part."""
        ...

    def fetch(self) -> None:
        """Queue the transfer of results, without waiting; called once, or never."""
        ...

    def finish(self) -> UpdateResult:
        """Wait, and let the table have the outcome.

        Returns:
            What is true at the end, with what was appended.
        """
        ...

    def deleted(self, position: int) -> npt.NDArray[np.int64]:
        """Return which hypotheses of a segment were deleted, by their former place."""
        ...


class Engine(Protocol):
    """Makes tables, and runs steps on them."""

    def make_table(self, window_size: int) -> Segments: ...

    def displace(self, table: Any, moves: Moves) -> None:
        """Displace hypotheses of a table that the engine made."""
        ...

    def add_votes(
        self, table: Any, votes: Mapping[int, VotesForGraph]
    ) -> Sequence[float]:
        """Add votes to the evidence of segments, which have hypotheses.

        Returns:
            The highest evidence of each.
        """
        ...

    def likely_rows(
        self, table: Any, segments: Sequence[int], threshold: float
    ) -> LikelyRows:
        """Return hypotheses with much evidence; see `likely_rows`."""
        ...

    def begin(
        self,
        table: Any,
        graphs: GraphTable,
        work: KernelWork,
        new: Sequence[NewHypotheses],
    ) -> Step:
        """Begin a step.

        Args:
            table: The hypotheses, in a table that the engine made.
            graphs: The graphs.
            work: What is to be updated.
            new: What will be added, but for `head_start`.
        """
        ...

    @property
    def layout(self) -> tuple[int, ...]:
        """What differs when `held` would return something else."""
        ...

    def held(self) -> Iterable[Held]:
        """Return what memory it holds besides that of the tables it made."""
        ...

    def close(self) -> None: ...
