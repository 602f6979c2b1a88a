# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs steps on the host, with compiled functions or others that do the same."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numpy.new_hypotheses import best_nodes
from tbp.monty.backends.numpy.votes import VotesForGraph
from tbp.monty.backends.tables.engine import NO_HYPOTHESES, NewHypotheses, Sample
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.held import Held
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.kernel_work import KernelWork, UpdateResult
from tbp.monty.backends.tables.likely_rows import LikelyRows, likely_rows

__all__ = ["HostEngine"]


class HostEngine:
    """Runs steps with the functions of `numba`, or of others like them."""

    def __init__(self, kernels: Any) -> None:
        """Use functions.

        Args:
            kernels: Has `displace`, `add_votes`, `score_nodes`, `update`,
                `append_samples`, `delete_declining` and `record`.
        """
        self._kernels = kernels

    def make_table(self, window_size: int) -> HypothesisTable:
        return HypothesisTable(window_size)

    def displace(
        self,
        table: Any,
        segments: Sequence[int],
        displacement: npt.NDArray[np.float64],
    ) -> None:
        table.own("locations")
        self._kernels.displace(table, segments, displacement)

    def add_votes(self, table: Any, votes: Mapping[int, VotesForGraph]) -> None:
        table.own("evidence")
        for segment, for_graph in votes.items():
            self._kernels.add_votes(table, segment, for_graph)
            table.forget(segment)
        table.know([*votes])

    def likely_rows(
        self, table: Any, segments: Sequence[int], threshold: float
    ) -> LikelyRows:
        return likely_rows(table, segments, threshold)

    def begin(
        self,
        table: Any,
        graphs: GraphTable,
        work: KernelWork,
        new: NewHypotheses = NO_HYPOTHESES,
    ) -> _HostStep:
        return _HostStep(self._kernels, table, graphs, work, new)

    @property
    def layout(self) -> tuple[int, ...]:
        return ()

    def held(self) -> Sequence[Held]:
        return ()

    def close(self) -> None:
        pass


class _HostStep:
    def __init__(
        self,
        kernels: Any,
        table: HypothesisTable,
        graphs: GraphTable,
        work: KernelWork,
        new: NewHypotheses,
    ) -> None:
        self._kernels = kernels
        self.table = table
        self._graphs = graphs
        self._work = work
        self._new = new
        self._segments = work.segments
        self._deleted: list[npt.NDArray[np.int64]] = []
        self._scores: npt.NDArray[np.float64] = np.zeros(0)
        self._result = UpdateResult.room_for(work)

    def delete_declining(self, least_slopes: npt.NDArray[np.float64]) -> None:
        self.table.own(*self.table.columns)
        self._deleted = self._kernels.delete_declining(
            self.table, self._segments, least_slopes
        )

    def update(self) -> None:
        self.table.own("evidence", "locations")
        self._scores = self._kernels.score_nodes(self._graphs, self._work)
        self._result = self._kernels.update(
            self.table, self._graphs, self._work, self._scores
        )

    def mean_evidence(self, position: int) -> float:
        place = self.table.segment(self._segments[position])
        return float(np.mean(self.table.evidence[place]))

    def append(self) -> None:
        samples = [self._sample(entry) for entry in range(len(self._new))]
        self._kernels.append_samples(self.table, self._graphs, samples)
        # What is new may be more likely than all that was updated.
        for position in np.unique(self._new.positions).tolist():
            evidence = self.table.evidence[self.table.segment(self._segments[position])]
            if len(evidence):
                first = int(evidence.argmax())
                self._result.most_likely[position] = first
                self._result.highest[position] = evidence[first]

    def record(self) -> None:
        self.table.own("window", "slopes", "ages")
        channels = np.diff(self._work.match_starts)
        self._kernels.record(self.table, self._segments, channels)

    def fetch(self) -> None:
        pass

    def finish(self) -> UpdateResult:
        table, segments = self.table, self._segments
        table.highest[segments] = self._result.highest
        table.most_likely[segments] = self._result.most_likely
        table.is_known[segments] = True
        return self._result

    def deleted(self, position: int) -> npt.NDArray[np.int64]:
        return self._deleted[position]

    def _sample(self, entry: int) -> Sample:
        new, match = self._new, int(self._new.matches[entry])
        graph = int(self._work.match_graphs[match])
        node_count = int(self._graphs.node_counts[graph])
        scores = self._work.of_match(match, self._scores, node_count)
        first_pose = new.pose_starts[entry]
        return Sample(
            segment=int(self._segments[new.positions[entry]]),
            graph=graph,
            nodes=best_nodes(scores, int(new.node_counts[entry]))
            if new.are_best[entry]
            else np.arange(node_count),
            scores=scores,
            poses=new.poses[first_pose : first_pose + new.pose_counts[entry]],
            is_aligned=bool(new.are_aligned[entry]),
            head_start=float(new.head_starts[entry]),
        )
