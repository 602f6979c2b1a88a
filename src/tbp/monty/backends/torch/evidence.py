# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The update of evidence in torch, with the arithmetic that `numpy.evidence` states.

Products and sums are calls of their own, so that torch cannot fuse them. Rotations are
left to numpy: one unit in their last place moves the evidence of a perfect match by
1e-8, and torch does not say how it rounds products of matrices.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

from tbp.monty.backends.numpy.evidence import BEST_MATCH, NO_MATCH, rotated
from tbp.monty.backends.numpy.features import CATEGORICAL, CIRCULAR
from tbp.monty.backends.numpy.numbers import LARGEST
from tbp.monty.backends.numpy.rounding import sum_as_numpy_does
from tbp.monty.backends.tables.cells import cell_of
from tbp.monty.backends.tables.graphs import Graph, GraphTable
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.kernel_work import (
    KernelWork,
    UpdateResult,
    raise_unusable,
)

__all__ = ["score_nodes", "update"]

_DISTANCES_AT_A_TIME = 1 << 17
"""Bounds the memory for the distances between hypotheses and nodes."""


def score_nodes(graphs: GraphTable, work: KernelWork) -> npt.NDArray[np.float64]:
    """Return the evidence of all nodes' features, for all matches of a work."""
    scores = np.empty(work.score_count)
    for match in np.flatnonzero(work.score_starts >= 0).tolist():
        graph = graphs.graph(work.match_graphs[match])
        query = work.match_queries[match]
        columns = slice(*work.column_starts[query : query + 2])
        sensed, tolerances, weights, kinds = (
            torch.from_numpy(part[columns])
            for part in (work.values, work.tolerances, work.weights, work.kinds)
        )
        stored = torch.from_numpy(graph.features)
        difference = (stored - sensed).abs()
        above, below = (1.0 + stored) - sensed, stored - (sensed + 1.0)
        circular = difference.minimum(above.abs().minimum(below.abs()))
        difference = torch.where(kinds == CIRCULAR, circular, difference)
        difference = torch.where(kinds == CATEGORICAL, stored != sensed, difference)
        left = (tolerances - difference).clamp(min=0.0) / tolerances
        total = sum_as_numpy_does((left * weights).unbind(dim=1))
        mean = total / sum_as_numpy_does(weights.unbind())
        work.of_match(match, scores, len(graph))[:] = mean * work.increments[query]
    return scores


# Numbers that cannot be computed with are found in the results.
@np.errstate(invalid="ignore", over="ignore")
def update(
    table: HypothesisTable,
    graphs: GraphTable,
    work: KernelWork,
    scores: npt.NDArray[np.float64] | None = None,
) -> UpdateResult:
    """Displace hypotheses and update their evidence: of all segments, or of none.

    Args:
        table: The hypotheses.
        graphs: The graphs.
        work: What is to be computed.
        scores: The evidence of the nodes' features, if it was computed before.

    Returns:
        What the learning modules read next.
    """
    scores = score_nodes(graphs, work) if scores is None else scores
    result, updates = UpdateResult.room_for(work), []
    for position, segment in enumerate(work.segments.tolist()):
        rows = table.segment(segment)
        past, locations, poses = (
            torch.from_numpy(column[rows])
            for column in (table.evidence, table.locations, table.poses)
        )
        if work.is_displaced[position]:
            locations = locations + _rotated(poses, work.displacements[position])
        tested = (past >= work.thresholds[position]).nonzero()[:, 0]
        evidence = past
        if len(tested):
            present = torch.zeros_like(past)
            matches = range(*work.match_starts[position : position + 2])
            for match in matches:
                graph = graphs.graph(work.match_graphs[match])
                of_nodes = torch.from_numpy(work.of_match(match, scores, len(graph)))
                query = work.match_queries[match]
                new = _channel_evidence(
                    graph, of_nodes, work, query, locations[tested], poses[tested]
                )
                # Others shall not gain on the worst of those tested, nor lose.
                gains = torch.full_like(past, max(0.0, float(new.min())))
                present += gains.index_copy(0, tested, new)
            weighted = present * work.present_weights[position]
            evidence = past * work.past_weights[position] + weighted
            missing = BEST_MATCH * len(matches) - float(present[past.argmax()])
            worst = (BEST_MATCH - NO_MATCH) * len(matches)
            result.prediction_error[position] = missing / worst
        is_usable = _usable(locations) & _usable(evidence[:, None])
        is_usable[tested] &= _usable(poses[tested].flatten(1))
        if not is_usable.all():
            raise_unusable(table, segment, int((~is_usable).nonzero()[0]))
        updates.append((rows, locations, evidence))
        result.tested[position] = len(tested)
        if len(evidence):
            first = result.most_likely[position] = int(evidence.argmax())
            result.highest[position] = evidence[first]
    for rows, locations, evidence in updates:
        table.locations[rows], table.evidence[rows] = locations, evidence
    return result


def _channel_evidence(
    graph: Graph, scores, work: KernelWork, query: int, locations, poses
) -> torch.Tensor:
    """Return this step's evidence from one input channel for each hypothesis."""
    grid, wanted = graph.grid, min(int(work.neighbors[query]), len(graph))
    vectors = [_rotated(poses, one) for one in work.sensed[query].reshape(2, 3)]
    hypotheses = torch.cat([locations, *vectors], dim=1)
    # A location that is NaN is refused later, and must be in some cell now.
    points = np.nan_to_num(locations.numpy())
    cells = cell_of(points, grid.origin, grid.cells_per_unit, grid.shape)
    cells = torch.from_numpy(np.ravel_multi_index(tuple(cells.T), grid.shape))
    starts = torch.from_numpy(grid.starts.astype(np.int64))
    starts, counts = starts[cells], starts[cells + 1] - starts[cells]
    evidence = torch.full_like(counts, NO_MATCH, dtype=torch.float64)
    # Long lists of nodes first, so that lists are padded only a little.
    order = counts.argsort(descending=True)[: int((counts > 0).sum())]
    while len(order):
        size = max(1, _DISTANCES_AT_A_TIME // int(counts[order[0]]))
        part, order = order[:size], order[size:]
        row, near = _nearest(graph, wanted, locations[part], starts[part], counts[part])
        found = _pair_evidence(graph, scores, work, query, near, hypotheses[part[row]])
        # A wanted node that is not in the list of the cell is beyond the radius.
        is_short = torch.bincount(row, minlength=len(part)) < wanted
        best = torch.where(is_short, NO_MATCH, -torch.inf).double()
        evidence[part] = best.scatter_reduce(0, row, found, "amax")
    return evidence


def _nearest(graph: Graph, wanted: int, points, starts, counts):
    """Return pairs of a point and one of the nearest nodes in the list of its cell."""
    places = torch.arange(int(counts[0]))
    members = starts[:, None] + places.minimum(counts[:, None] - 1)
    nodes = torch.from_numpy(graph.grid.members.astype(np.int64))[members]
    away = torch.from_numpy(graph.locations)[nodes] - points[:, None]
    squares = _dot(away, away).masked_fill(places >= counts[:, None], torch.inf)
    farthest = squares.topk(min(wanted, len(places)), largest=False).values[:, -1:]
    # Of equally near nodes the first count: a list is in the order of nodes.
    is_nearer, is_last = squares < farthest, squares == farthest
    room = wanted - is_nearer.sum(dim=1, keepdim=True)
    is_wanted = is_nearer | (is_last & (is_last.cumsum(dim=1) <= room))
    is_wanted &= squares < torch.inf
    return is_wanted.nonzero()[:, 0], nodes[is_wanted]


def _pair_evidence(
    graph: Graph, scores, work: KernelWork, query: int, nodes, hypotheses
) -> torch.Tensor:
    """Return the evidence of pairs of a node and a hypothesis near it."""
    location, normal, direction = hypotheses.split(3, dim=1)
    normal_weight, direction_weight = work.pose_weights[query]
    frames = torch.from_numpy(graph.pose_vectors)[nodes]
    cosine = _dot(frames[:, 0], normal).clamp(-1.0, 1.0)
    evidence = (0.5 - ((1.0 - cosine) * 0.5).sqrt()) * normal_weight
    if work.direction_known[query]:
        cosine = _dot(frames[:, 1], direction).clamp(-1.0, 1.0)
        of_direction = 0.5 - ((1.0 - cosine) * (1.0 + cosine)).sqrt()
        of_direction *= torch.from_numpy(graph.pose_fully_defined)[nodes]
        evidence = evidence + of_direction * direction_weight
    evidence = evidence + scores[nodes]
    away = torch.from_numpy(graph.locations)[nodes] - location
    penalty = 1.0 / (abs(work.curvatures[query]) + 0.5)
    distances = _dot(away, away).sqrt() + _dot(away, normal).abs() * penalty
    return torch.where(distances >= graph.radius, NO_MATCH, evidence)


def _rotated(poses: torch.Tensor, vector: npt.NDArray[np.float64]) -> torch.Tensor:
    return torch.from_numpy(rotated(poses.numpy(), vector))


def _dot(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    x, y, z = (one * other).unbind(dim=-1)
    return (x + y) + z


def _usable(values: torch.Tensor) -> torch.Tensor:
    return (values.abs() <= LARGEST).all(dim=1)
