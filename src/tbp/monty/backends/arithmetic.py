# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The update of evidence, stated in numpy.

This is the arithmetic every backend computes; compiled kernels are held to it bit for
bit, and it is held to upstream's results within 1e-12. It searches neighbours by
looking at all nodes, and is made to be read.

Only additions, subtractions, multiplications, divisions and square roots occur, each in
a stated order, and these IEEE 754 rounds alike everywhere:

- The evidence of a surface normal falls with the sine of half its angular error. With
  t the cosine of the angle, that is sqrt((1 - t) / 2).
- A curvature direction and its opposite mean the same, so its evidence falls with the
  sine of the angle itself, sqrt((1 - t) * (1 + t)). Written as 1 - t * t, it would lose
  half of its digits where the match is good.
- A node matches if its *modulated* distance, the Euclidean one plus what it is off the
  tangent plane, is less than the radius. The modulated distance is never less than the
  Euclidean one, not even after rounding, as rounding keeps order. So whatever a
  neighbour search leaves out beyond the radius would have failed this test.
- Among its nearest nodes a hypothesis takes the best; those that do not match have
  evidence -1. Which of these there are does not matter, only whether there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.features import CATEGORICAL, CIRCULAR, FeatureQuery
from tbp.monty.backends.numbers import usable
from tbp.monty.backends.packing import pack_work
from tbp.monty.backends.rounding import (
    dot3,
    numpy_fuses_dots,
    sum_as_numpy_does,
)
from tbp.monty.backends.segment_work import (
    ChannelQuery,
    NodeScores,
    SegmentWork,
    UpdateResult,
    Work,
    raise_unusable,
)
from tbp.monty.backends.tables import (
    Graph,
    GraphTable,
    HypothesisRows,
    HypothesisTable,
)

__all__ = [
    "channel_evidence",
    "displaced",
    "feature_evidence",
    "most_likely",
    "score_nodes",
    "update",
]

NO_MATCH = -1.0
BEST_MATCH = 2.0

_CHUNK = 256
"""Hypotheses at a time, so that all their distances to all nodes fit into memory."""


def displaced(rows: HypothesisRows, displacement, fused: bool):
    """Return where hypotheses are after the sensor has moved, shape (n, 3)."""
    if displacement is None:
        return rows.locations.copy()
    return rows.locations + _rotated(rows.poses, displacement, fused)


def feature_evidence(features, query: FeatureQuery) -> npt.NDArray[np.float64]:
    """Return how well the features of each node match the sensed ones.

    Args:
        features: Features of the nodes, shape (n, columns).
        query: What is sensed.

    Returns:
        0 to `query.increment` for each node, NaN where a value is missing.
    """
    columns = []
    for column in range(len(query.values)):
        stored, sensed = features[:, column], query.values[column]
        if query.kinds[column] == CIRCULAR:
            difference = np.minimum(
                np.abs((1.0 + stored) - sensed),
                np.minimum(np.abs(stored - sensed), np.abs(stored - (sensed + 1.0))),
            )
        elif query.kinds[column] == CATEGORICAL:
            difference = (stored != sensed).astype(np.float64)
        else:
            difference = np.abs(stored - sensed)
        tolerance = query.tolerances[column]
        left = tolerance - difference
        left = np.where(left < 0.0, 0.0, left) / tolerance
        columns.append(left * query.weights[column])
    total = sum_as_numpy_does(columns) / sum_as_numpy_does(list(query.weights))
    return total * query.increment


def channel_evidence(
    graph: Graph,
    scores: npt.NDArray[np.float64],
    query: ChannelQuery,
    locations: npt.NDArray[np.float64],
    poses: npt.NDArray[np.float64],
    fused: bool,
) -> npt.NDArray[np.float64]:
    """Return this step's evidence from one input channel for each hypothesis.

    Args:
        graph: What the hypotheses are about.
        scores: The evidence of each node's features, shape (nodes,).
        query: What is sensed.
        locations: Where the hypotheses are, shape (n, 3).
        poses: Their rotations, shape (n, 3, 3).
        fused: How rotations are rounded, see `rounding`.

    Returns:
        Shape (n,); -1 without a match.
    """
    if len(graph) == 0:
        return np.full(len(locations), NO_MATCH)
    normals = _rotated(poses, query.pose_vectors[0], fused)
    directions = _rotated(poses, query.pose_vectors[1], fused)
    nodes = _nearest_nodes(graph.locations, locations, query.neighbors)
    evidence = _pose_evidence(graph, nodes, query, normals, directions) + scores[nodes]
    distances = _modulated_distances(graph, nodes, query, locations, normals)
    evidence[distances >= graph.radius] = NO_MATCH
    return evidence.max(axis=1)


def score_nodes(graphs: GraphTable, work: Work) -> NodeScores:
    """Return the evidence of all nodes' features, for all matches of a work."""
    scores = NodeScores.room_for(graphs, work)
    matches = [match for segment in work.segments for match in segment.matches]
    for i, (graph, query) in enumerate(matches):
        features = work.queries[query].features
        if features is not None:
            nodes = graphs.graph(graph)
            scores.of_match(i, len(nodes))[:] = feature_evidence(
                nodes.features, features
            )
    return scores


def update(
    table: HypothesisTable,
    graphs: GraphTable,
    work: Work,
    scores: NodeScores | None = None,
    fused: bool | None = None,
) -> UpdateResult:
    """Displace hypotheses and update their evidence.

    Either all segments are updated or, if there is an error, none.

    Args:
        table: The hypotheses.
        graphs: The graphs.
        work: What is to be computed.
        scores: The evidence of the nodes' features, if it was computed before.
        fused: How rotations are rounded. Defaults to how numpy does it here.

    Returns:
        What the learning modules read next.
    """
    pack_work(work, table, graphs)  # for its checks
    fused = numpy_fuses_dots() if fused is None else fused
    scores = score_nodes(graphs, work) if scores is None else scores
    updates = [
        _updated_segment(table, graphs, work, scores, position, fused)
        for position in range(len(work.segments))
    ]
    for i, new in enumerate(updates):
        rows = table.rows(work.segments[i].segment)
        rows.locations[:] = new.locations
        rows.evidence[:] = new.evidence
    highest, first = most_likely(table, [s.segment for s in work.segments])
    return UpdateResult(
        highest=highest,
        most_likely=first,
        prediction_error=np.array([new.prediction_error for new in updates]),
        tested=np.array([new.tested for new in updates], dtype=np.int64),
    )


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
        evidence = table.evidence[table.segment(segment)]
        if len(evidence):
            first[i] = evidence.argmax()
            highest[i] = evidence[first[i]]
    return highest, first


@dataclass(frozen=True)
class _UpdatedSegment:
    locations: npt.NDArray[np.float64]
    evidence: npt.NDArray[np.float64]
    prediction_error: float
    tested: int


def _updated_segment(
    table: HypothesisTable,
    graphs: GraphTable,
    work: Work,
    scores: NodeScores,
    position: int,
    fused: bool,
) -> _UpdatedSegment:
    segment = work.segments[position]
    rows = table.rows(segment.segment)
    with np.errstate(invalid="ignore", over="ignore"):
        locations = displaced(rows, segment.displacement, fused)
        is_tested = rows.evidence >= segment.threshold
        tested = np.flatnonzero(is_tested)
        is_usable = usable(rows.evidence) & usable(locations).all(axis=1)
        poses = rows.poses[tested]
        for _, query in segment.matches:
            for vector in work.queries[query].pose_vectors[:2]:
                rotated = _rotated(poses, vector, fused)
                is_usable[tested] &= usable(rotated).all(axis=1)
        _refuse(table, segment, is_usable)
        step_evidence = np.zeros(len(rows))
        if len(tested):
            for channel, (graph, query) in enumerate(segment.matches):
                match = work.match_starts[position] + channel
                new = _in_chunks(
                    graphs.graph(graph),
                    scores.of_match(match, len(graphs.graph(graph))),
                    work.queries[query],
                    locations[tested],
                    poses,
                    fused,
                )
                is_usable[tested] &= usable(new)
                # Hypotheses that are not tested shall not gain on the worst of those
                # that are, nor lose.
                least = new.min()
                channel_total = np.full(len(rows), max(0.0, least))
                channel_total[tested] = new
                step_evidence = step_evidence + channel_total
        _refuse(table, segment, is_usable)
    if not len(tested):
        return _UpdatedSegment(locations, rows.evidence.copy(), np.nan, 0)
    before = np.argmax(rows.evidence)
    channels = len(segment.matches)
    missing = BEST_MATCH * channels - step_evidence[before]
    return _UpdatedSegment(
        locations=locations,
        evidence=rows.evidence * segment.past_weight
        + step_evidence * segment.present_weight,
        prediction_error=missing / ((BEST_MATCH - NO_MATCH) * channels),
        tested=len(tested),
    )


def _refuse(table: HypothesisTable, segment: SegmentWork, is_usable) -> None:
    if not is_usable.all():
        raise_unusable(table, segment.segment, int(np.argmin(is_usable)))


def _in_chunks(graph, scores, query, locations, poses, fused):
    chunks = [slice(i, i + _CHUNK) for i in range(0, len(locations), _CHUNK)]
    return np.concatenate(
        [
            channel_evidence(graph, scores, query, locations[c], poses[c], fused)
            for c in chunks
        ]
    )


def _nearest_nodes(nodes, points, neighbors: int):
    """Return the nearest nodes of each point; of equally near ones the first."""
    x, y, z = (nodes[:, axis] - points[:, axis, np.newaxis] for axis in range(3))
    squares = (x * x + y * y) + z * z
    return np.argsort(squares, axis=1, kind="stable")[:, :neighbors]


def _modulated_distances(graph, nodes, query, locations, normals):
    away = _components(graph.locations[nodes] - locations[:, np.newaxis])
    off_plane = dot3(away, _components(normals[:, np.newaxis]), fused=False)
    distances = np.sqrt(dot3(away, away, fused=False))
    return distances + np.abs(off_plane) * (1.0 / (abs(query.curvature) + 0.5))


def _pose_evidence(graph, nodes, query, normals, directions):
    cosine = _cosine(graph.pose_vectors[nodes, 0], normals)
    evidence = (0.5 - np.sqrt((1.0 - cosine) * 0.5)) * query.normal_weight
    if not query.pose_fully_defined:
        return evidence
    cosine = _cosine(graph.pose_vectors[nodes, 1], directions)
    direction_evidence = 0.5 - np.sqrt((1.0 - cosine) * (1.0 + cosine))
    direction_evidence = direction_evidence * graph.pose_fully_defined[nodes]
    return evidence + direction_evidence * query.direction_weight


def _cosine(stored, sensed):
    product = dot3(_components(stored), _components(sensed[:, np.newaxis]), fused=False)
    return np.clip(product, -1.0, 1.0)


def _rotated(poses, vector, fused: bool):
    rows = (poses[:, :, 0], poses[:, :, 1], poses[:, :, 2])
    return dot3(rows, vector, fused)


def _components(vectors):
    return vectors[..., 0], vectors[..., 1], vectors[..., 2]
