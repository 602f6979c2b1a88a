# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What runs a step on tables: on the host at once, or on a device after a while."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numpy.new_hypotheses import best_nodes
from tbp.monty.backends.samples import Sample
from tbp.monty.backends.segment_work import NodeScores, PlannedWork, UpdateResult
from tbp.monty.backends.tables import GraphTable, HypothesisTable, Segments

__all__ = ["Engine", "HostEngine", "NewHypotheses", "Step"]


@dataclass(slots=True)
class NewHypotheses:
    """Hypotheses to add to a segment.

    Attributes:
        position: The segment, by its position in the work.
        match: The graph and what is sensed, by its position among the work's matches.
        graph: The index of the graph.
        node_count: How many nodes it has.
        best: How many of them, those with the highest scores; None for all of them.
        frames: See `samples.Sample`.
        poses: See `samples.Sample`.
        head_start: See `samples.Sample`.
    """

    position: int
    match: int
    graph: int
    node_count: int
    best: int | None = None
    frames: npt.NDArray[np.float64] | None = None
    poses: npt.NDArray[np.float64] | None = None
    head_start: float = 0.0

    @property
    def poses_per_node(self) -> int:
        return len(self.poses if self.frames is None else self.frames)

    def __len__(self) -> int:
        nodes = self.node_count if self.best is None else self.best
        return nodes * self.poses_per_node


class Step(Protocol):
    """The update of segments on one step; its parts are called in this order.

    What is found to be unusable is raised by `update` or by `finish`; evidence and
    locations are as they were then.
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
        """Add hypotheses, those that the step was begun with."""
        ...

    def record(self, channels: npt.NDArray[np.int64]) -> None:
        """Record the evidence; `channels` is how many took part, for each segment."""
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

    def begin(
        self,
        table: Segments,
        graphs: GraphTable,
        work: PlannedWork,
        new: Sequence[NewHypotheses],
    ) -> Step:
        """Begin a step.

        Args:
            table: The hypotheses.
            graphs: The graphs.
            work: What is to be updated.
            new: What will be added, but for `head_start`.
        """
        ...

    def close(self) -> None: ...


class HostEngine:
    """Runs steps with the functions of `numba_kernel`, or of others like them."""

    def __init__(self, kernels) -> None:
        """Use functions.

        Args:
            kernels: Has `score_nodes`, `update`, `append_samples`, `delete_declining`
                and `record`.
        """
        self._kernels = kernels

    def make_table(self, window_size: int) -> HypothesisTable:
        return HypothesisTable(window_size)

    def begin(self, table, graphs, work, new) -> _HostStep:  # noqa: ARG002
        return _HostStep(self._kernels, table, graphs, work)

    def close(self) -> None:
        pass


class _HostStep:
    def __init__(
        self, kernels, table: HypothesisTable, graphs: GraphTable, work: PlannedWork
    ) -> None:
        self._kernels = kernels
        self._table = table
        self._graphs = graphs
        self._work = work
        self._segments = work.rows.segments
        self._deleted: list[npt.NDArray[np.int64]] = []
        self._scores: NodeScores | None = None
        self._result: UpdateResult | None = None

    def delete_declining(self, least_slopes) -> None:
        self._deleted = self._kernels.delete_declining(
            self._table, self._segments, least_slopes
        )

    def update(self) -> None:
        self._scores = self._kernels.score_nodes(self._graphs, self._work)
        self._result = self._kernels.update(
            self._table, self._graphs, self._work, self._scores
        )

    def mean_evidence(self, position: int) -> float:
        place = self._table.segment(self._segments[position])
        return np.mean(self._table.evidence[place])

    def append(self, new: Sequence[NewHypotheses]) -> None:
        samples = [self._sample(one) for one in new]
        self._kernels.append_samples(self._table, self._graphs, samples)
        # What is new may be more likely than all that was updated.
        for position in {one.position for one in new}:
            evidence = self._table.evidence[
                self._table.segment(self._segments[position])
            ]
            if len(evidence):
                first = int(evidence.argmax())
                self._result.most_likely[position] = first
                self._result.highest[position] = evidence[first]

    def record(self, channels) -> None:
        self._kernels.record(self._table, self._segments, channels)

    def finish(self) -> UpdateResult:
        return self._result

    def deleted(self, position: int) -> npt.NDArray[np.int64]:
        return self._deleted[position]

    def _sample(self, new: NewHypotheses) -> Sample:
        scores = self._scores.of_match(new.match, new.node_count)
        return Sample(
            segment=int(self._segments[new.position]),
            graph=new.graph,
            nodes=np.arange(new.node_count)
            if new.best is None
            else best_nodes(scores, new.best),
            scores=scores,
            frames=new.frames,
            poses=new.poses,
            head_start=new.head_start,
        )
