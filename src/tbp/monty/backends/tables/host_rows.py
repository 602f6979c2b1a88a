# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses that come and go, for kernels on the host that have no faster way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numpy.new_hypotheses import aligning_poses, hypotheses_at
from tbp.monty.backends.numpy.slopes import is_kept
from tbp.monty.backends.numpy.votes import VotesForGraph, evidence_with_votes
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.hypotheses import HypothesisTable

__all__ = ["Sample", "add_votes", "append_samples", "delete_declining"]


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


def append_samples(
    table: HypothesisTable, graphs: GraphTable, samples: Sequence[Sample]
) -> None:
    """Add new hypotheses, none of them possible yet.

    Args:
        table: The hypotheses.
        graphs: The graphs.
        samples: What to add, in this order.
    """
    for sample in samples:
        graph = graphs.graph(sample.graph)
        if sample.is_aligned:
            poses = aligning_poses(graph.pose_vectors[sample.nodes], sample.poses)
        else:
            poses = np.repeat(sample.poses, len(sample.nodes), axis=0)
        scores = sample.scores[sample.nodes] + sample.head_start
        rows = hypotheses_at(graph.locations[sample.nodes], scores, poses)
        table.append(sample.segment, rows)


def add_votes(table: HypothesisTable, segment: int, votes: VotesForGraph) -> None:
    """Add votes to the evidence of a segment.

    Args:
        table: The hypotheses.
        segment: The segment.
        votes: The votes.
    """
    rows = table.rows(segment)
    rows.evidence[:] = evidence_with_votes(rows.evidence, rows.locations, votes)


def delete_declining(
    table: HypothesisTable, segments: Sequence[int], least_slopes: Sequence[float]
) -> list[npt.NDArray[np.int64]]:
    """Delete hypotheses that are old enough and whose slope is too low.

    Args:
        table: The hypotheses.
        segments: Where to delete.
        least_slopes: For each of these, the slope from which on hypotheses are kept.

    Returns:
        For each of the segments, which hypotheses were deleted, by their former place.
    """
    deleted = []
    for i, segment in enumerate(segments):
        rows = table.segment(segment)
        keep = is_kept(
            table.slopes[rows], table.ages[rows].astype(np.int_), least_slopes[i]
        )
        deleted.append(np.flatnonzero(~keep))
        table.retain(segment, keep)
    return deleted
