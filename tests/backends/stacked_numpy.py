# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The numpy implementation, on stacked tables.

Kernels are compared with it. It has the functions that `HostEngine` asks for; each
loops over the segments and calls the functions of `tbp.monty.backends.numpy`.
"""

from __future__ import annotations

from functools import partial
from typing import Sequence
from unittest import mock

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import HypothesisRows, Nodes, Percept
from tbp.monty.backends.numpy import evidence
from tbp.monty.backends.numpy.evidence import ChannelMatch
from tbp.monty.backends.numpy.features import feature_evidence
from tbp.monty.backends.numpy.new_hypotheses import aligning_poses, hypotheses_at
from tbp.monty.backends.numpy.numbers import usable
from tbp.monty.backends.numpy.rounding import dot3, numpy_fuses_dots
from tbp.monty.backends.numpy.slopes import is_kept, mean_slopes
from tbp.monty.backends.numpy.votes import VotesForGraph, evidence_with_votes
from tbp.monty.backends.tables.engine import Sample
from tbp.monty.backends.tables.graphs import Graph, GraphTable
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.kernel_work import (
    KernelWork,
    UpdateResult,
    raise_unusable,
)
from tests.backends.kernel_works import ChannelQuery, matches_of, query_of_work

__all__ = [
    "add_votes",
    "append_samples",
    "delete_declining",
    "displace",
    "most_likely",
    "record",
    "score_nodes",
    "update",
]


def score_nodes(graphs: GraphTable, work: KernelWork) -> npt.NDArray[np.float64]:
    """Return the evidence of all nodes' features, for all matches of a work."""
    scores = np.empty(work.score_count)
    for match, graph in enumerate(work.match_graphs.tolist()):
        features = query_of_work(work, work.match_queries[match]).features
        if features is not None:
            nodes = graphs.graph(graph)
            of_match = work.of_match(match, scores, len(nodes))
            of_match[:] = feature_evidence(nodes.features, features)
    return scores


def update(
    table: HypothesisTable,
    graphs: GraphTable,
    work: KernelWork,
    scores: npt.NDArray[np.float64] | None = None,
    fused: bool | None = None,
) -> UpdateResult:
    """Displace hypotheses and update their evidence.

    Either all segments are updated or, if there is an error, none.

    Args:
        table: The hypotheses.
        graphs: The graphs.
        work: What is to be computed.
        scores: The evidence of the nodes' features, if it was computed before.
        fused: How rotations are rounded. Defaults to numpy's rounding here.

    Returns:
        What the learning modules read next.
    """
    fused = numpy_fuses_dots() if fused is None else fused
    scores = score_nodes(graphs, work) if scores is None else scores
    result = UpdateResult.room_for(work)
    updates = []
    # Kernels are told how to round; numpy rounds as its BLAS does.
    with mock.patch.object(evidence, "rotated", partial(_rotated, fused=fused)):
        for position, segment in enumerate(work.segments.tolist()):
            before = table.rows(segment)
            threshold = work.thresholds[position]
            new, error = evidence.updated_hypotheses(
                before,
                work.displacements[position] if work.is_displaced[position] else None,
                _matches(graphs, work, scores, position),
                threshold=threshold,
                past_weight=work.past_weights[position],
                present_weight=work.present_weights[position],
            )
            is_tested = before.evidence >= threshold
            _check(table, segment, new, is_tested)
            updates.append(new)
            result.tested[position] = is_tested.sum()
            if error is not None:
                result.prediction_error[position] = error
    for segment, new in zip(work.segments.tolist(), updates, strict=True):
        table.write(segment, "locations", new.locations)
        table.write(segment, "evidence", new.evidence)
    result.highest[:], result.most_likely[:] = most_likely(table, work.segments)
    return result


def displace(
    table: HypothesisTable,
    segments: Sequence[int],
    displacement: npt.NDArray[np.float64],
) -> None:
    """Displace hypotheses, each in its own pose.

    Args:
        table: The hypotheses.
        segments: Which of them.
        displacement: How the sensor has moved, shape (3,).
    """
    for segment in segments:
        rows = table.segment(segment)
        moved = evidence.rotated(table.poses[rows], displacement)
        table.locations[rows] = table.locations[rows] + moved


def most_likely(
    table: HypothesisTable, segments: Sequence[int]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the highest evidence of each segment, and the first hypothesis with it.

    Args:
        table: The hypotheses.
        segments: The segments.

    Returns:
        The evidence, and the place in the segment; -inf and -1 without hypotheses.
    """
    highest = np.full(len(segments), -np.inf)
    first = np.full(len(segments), -1, dtype=np.int64)
    for i, segment in enumerate(segments):
        column = table.evidence[table.segment(segment)]
        if len(column):
            first[i] = column.argmax()
            highest[i] = column[first[i]]
    return highest, first


def record(
    table: HypothesisTable, segments: Sequence[int], channels: Sequence[int]
) -> None:
    """Record the evidence of all hypotheses after an update, and their slopes.

    Args:
        table: The hypotheses, with a ring of past values.
        segments: The segments that were updated.
        channels: How many input channels took part in the update of each.
    """
    size = table.window_size
    for segment, count in zip(segments, channels, strict=True):
        newest = table.newest[segment] = (table.newest[segment] + 1) % size
        table.window_channels[segment, newest] = count
        rows = table.segment(segment)
        table.window[rows, newest] = table.evidence[rows]
        table.ages[rows] += 1
        oldest_first = (newest + 1 + np.arange(size)) % size
        table.slopes[rows] = mean_slopes(
            table.window[rows][:, oldest_first],
            table.window_channels[segment, oldest_first],
        )


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
    rows = table.segment(segment)
    before, locations = table.evidence[rows], table.locations[rows]
    table.evidence[rows] = evidence_with_votes(before, locations, votes)


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


def _matches(
    graphs: GraphTable, work: KernelWork, scores: npt.NDArray, position: int
) -> list[ChannelMatch]:
    matches = []
    first = work.match_starts[position]
    for match, (index, query) in enumerate(matches_of(work, position), first):
        graph = graphs.graph(index)
        of_nodes = work.of_match(match, scores, len(graph))
        matches.append(_match(graph, of_nodes, query_of_work(work, query)))
    return matches


def _match(
    graph: Graph, scores: npt.NDArray[np.float64], query: ChannelQuery
) -> ChannelMatch:
    return ChannelMatch(
        nodes=Nodes(
            graph.locations,
            graph.pose_vectors,
            graph.pose_fully_defined,
            graph.features,
            feature_order=(),
        ),
        percept=Percept(
            query.pose_vectors, query.pose_fully_defined, query.curvature, features={}
        ),
        scores=scores,
        normal_weight=query.normal_weight,
        direction_weight=query.direction_weight,
        radius=graph.radius,
        neighbors=query.neighbors,
    )


def _check(
    table: HypothesisTable,
    segment: int,
    new: HypothesisRows,
    is_tested: npt.NDArray[np.bool_],
) -> None:
    # Poses of hypotheses that are not tested are not read.
    is_pose_usable = usable(new.poses).all(axis=(1, 2)) | ~is_tested
    is_usable = usable(new.locations).all(axis=1) & usable(new.evidence)
    is_usable &= is_pose_usable
    if not is_usable.all():
        place, count = int(np.argmin(is_usable)), int(table.counts[segment])
        row = table.hypothesis(segment, place)
        raise_unusable(table.owner_of(segment), place, count, row)


def _rotated(poses, vector, fused: bool):
    rows = (poses[:, :, 0], poses[:, :, 1], poses[:, :, 2])
    return dot3(rows, vector, fused)
