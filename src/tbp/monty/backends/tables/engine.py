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
from tbp.monty.backends.tables.flags import all_of
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.held import Held
from tbp.monty.backends.tables.kernel_work import KernelWork, UpdateResult
from tbp.monty.backends.tables.likely_rows import LikelyRows
from tbp.monty.backends.tables.segments import Segments

__all__ = ["NO_HYPOTHESES", "Engine", "NewHypotheses", "Sample", "Step"]


@dataclass(eq=False)
class NewHypotheses:
    """Hypotheses to add: an entry for each match that gets some, in their order.

    Those of an entry are at nodes of a graph, at each in some poses.

    Attributes:
        positions: The segments, by their positions in the work.
        matches: The graphs and what is sensed, by the positions of the work's matches.
        node_counts: At how many nodes.
        are_best: Whether these are the nodes with the highest scores; else, all.
        poses: See `Sample`; entries may share them. Shape (poses, 3, 3).
        pose_starts: Where the poses of each entry start.
        pose_counts: How many it has.
        are_aligned: See `Sample`.
        head_starts: See `Sample`.
    """

    positions: npt.NDArray[np.int64]
    matches: npt.NDArray[np.int64]
    node_counts: npt.NDArray[np.int64]
    are_best: npt.NDArray[np.bool_]
    poses: npt.NDArray[np.float64]
    pose_starts: npt.NDArray[np.int64]
    pose_counts: npt.NDArray[np.int64]
    are_aligned: npt.NDArray[np.bool_]
    head_starts: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.matches)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many hypotheses each entry has."""
        return self.node_counts * self.pose_counts

    def added(self, segment_count: int) -> npt.NDArray[np.int64]:
        """Return how many hypotheses each segment of a work gets.

        Args:
            segment_count: How many segments the work has.
        """
        return np.bincount(self.positions, self.sizes, segment_count).astype(np.int64)

    def only(self, are_kept: npt.NDArray[np.bool_]) -> NewHypotheses:
        """Return some of the entries."""
        if all_of(are_kept):
            return self
        kept = {
            name: values if name == "poses" else values[are_kept]
            for name, values in vars(self).items()
        }
        return NewHypotheses(**kept)


_NO_COUNTS, _NO_FLAGS = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_)

NO_HYPOTHESES = NewHypotheses(
    positions=_NO_COUNTS,
    matches=_NO_COUNTS,
    node_counts=_NO_COUNTS,
    are_best=_NO_FLAGS,
    poses=np.zeros((0, 3, 3)),
    pose_starts=_NO_COUNTS,
    pose_counts=_NO_COUNTS,
    are_aligned=_NO_FLAGS,
    head_starts=np.zeros(0),
)


@dataclass(frozen=True)
class Sample:
    """Hypotheses to add: each of some nodes of a graph, in each of some poses.

    All nodes in the first pose come first, then all in the next.

    Attributes:
        segment: The segment of the table to add them to.
        graph: The index of the graph.
        nodes: Which of its nodes.
        scores: The evidence of the features of all its nodes.
        poses: What is sensed, as the pose vectors that a node may have, or the poses
            themselves, shape (poses, 3, 3).
        is_aligned: Whether these are pose vectors, to align with those of each node.
        head_start: Evidence to start with, added to that of the features. For a channel
            that is new to the graph it is the mean of the existing hypotheses; with
            less, the new ones could never catch up.
    """

    segment: int
    graph: int
    nodes: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    poses: npt.NDArray[np.float64]
    is_aligned: bool = True
    head_start: float = 0.0

    def __len__(self) -> int:
        return len(self.nodes) * len(self.poses)


class Step(Protocol):
    """The update of segments on one step; its parts are called in this order.

    It works on a fork of the table that it was begun with. `update` or `finish` raises
    UnusableNumbers.

    Attributes:
        table: The fork; it has the outcome when `finish` has returned.
    """

    table: Any

    def delete_declining(self, least_slopes: npt.NDArray[np.float64]) -> None:
        """Delete hypotheses whose slope is too low, for each segment."""
        ...

    def update(self) -> None:
        """Displace hypotheses and update their evidence."""
        ...

    def mean_evidence(self, position: int) -> float:
        """Wait, and return the mean evidence of a segment."""
        ...

    def append(self) -> None:
        """Add the hypotheses that the step was begun with."""
        ...

    def record(self) -> None:
        """Record the evidence, and how many channels took part."""
        ...

    def fetch(self) -> None:
        """Queue the transfer of results, without waiting; called once, or never."""
        ...

    def finish(self) -> UpdateResult:
        """Wait, and return the results, which include hypotheses that were appended."""
        ...

    def deleted(self, position: int) -> npt.NDArray[np.int64]:
        """Return which hypotheses of a segment were deleted, by their former place."""
        ...


class Engine(Protocol):
    """Makes tables, and computes on them. It changes only forks of tables."""

    def make_table(self, window_size: int) -> Segments: ...

    def displace(
        self,
        table: Any,
        segments: Sequence[int],
        displacement: npt.NDArray[np.float64],
    ) -> None:
        """Displace hypotheses, each in its own pose, without waiting."""
        ...

    def add_votes(self, table: Any, votes: Mapping[int, VotesForGraph]) -> None:
        """Add votes to the evidence of segments, which have hypotheses."""
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
        new: NewHypotheses = NO_HYPOTHESES,
    ) -> Step:
        """Begin a step; the one before must be finished.

        Args:
            table: The hypotheses: a fork, which is the step's from now on.
            graphs: The graphs.
            work: What is to be updated.
            new: What will be added; `head_starts` may still change.
        """
        ...

    @property
    def layout(self) -> tuple[int, ...]:
        """Changes whenever `held` would return something else."""
        ...

    def held(self) -> Iterable[Held]:
        """Return what memory it holds besides that of tables."""
        ...

    def close(self) -> None: ...
