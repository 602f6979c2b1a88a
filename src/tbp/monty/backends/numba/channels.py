# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The evidence that hypotheses gain from one input channel, compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbp.monty.backends.numba.compiling import called
from tbp.monty.backends.numba.neighbors import box_of, nearest_nodes
from tbp.monty.backends.numba.numbers import usable
from tbp.monty.backends.numba.rounding import rotated
from tbp.monty.backends.numpy.evidence import NO_MATCH
from tbp.monty.backends.numpy.numbers import LARGEST

__all__ = ["Scratch", "add_channel"]


class Scratch(NamedTuple):
    """Buffers, used by one hypothesis after the other.

    Attributes:
        near: The nearest nodes.
        squares: Squares of distances.
        evidence: The evidence that nodes give.
    """

    near: np.ndarray
    squares: np.ndarray
    evidence: np.ndarray


class _Sense(NamedTuple):
    """What one input channel senses. Scalars only, to stay in registers."""

    direction_known: bool
    plane_factor: float
    normal_weight: float
    direction_weight: float


@called
def add_channel(
    fused,
    match,
    start,
    is_tested,
    places,
    poses,
    work,
    graphs,
    scores,
    gains,
    scratch,
):
    """Add this step's evidence from one input channel.

    `start` is the first hypothesis; `is_tested`, `places` and `gains` begin with it.
    `poses` are those of all hypotheses.

    Returns:
        The least evidence, and the first hypothesis with unusable numbers or -1.
    """
    query = work.match_queries[match]
    graph = work.match_graphs[match]
    box = box_of(graph, graphs.boxes)
    first_node = graphs.node_starts[graph]
    node_count = graphs.node_starts[graph + 1] - first_node
    wanted = min(work.neighbors[query], node_count)
    has_scores = work.score_starts[match] >= 0
    # Read from their tuples once: in a loop that would cost more than the rest.
    node_scores = scores[max(work.score_starts[match], 0) :]
    records = graphs.records[first_node:]
    cell_starts, members = graphs.cell_starts, graphs.members
    member_x, member_y, member_z = graphs.member_x, graphs.member_y, graphs.member_z
    near, squares, values = scratch.near, scratch.squares, scratch.evidence
    normal_x, normal_y, normal_z = sensed_at(work.sensed, query, 0)
    direction_x, direction_y, direction_z = sensed_at(work.sensed, query, 3)
    sense = _Sense(
        direction_known=work.direction_known[query],
        plane_factor=1.0 / (abs(work.curvatures[query]) + 0.5),
        normal_weight=work.pose_weights[query, 0],
        direction_weight=work.pose_weights[query, 1],
    )

    least, unusable = np.inf, -1
    for i in range(len(gains)):
        if not is_tested[i]:
            continue
        x, y, z = places[0, i], places[1, i], places[2, i]
        row = np.uint64(start + i)
        normal = rotated(fused, poses, row, normal_x, normal_y, normal_z)
        direction = rotated(fused, poses, row, direction_x, direction_y, direction_z)
        found = nearest_nodes(
            x,
            y,
            z,
            wanted,
            box,
            cell_starts,
            members,
            member_x,
            member_y,
            member_z,
            near,
            squares,
        )
        _weigh(
            np.uint64(found),
            near,
            records,
            x,
            y,
            z,
            box.radius,
            normal,
            direction,
            sense,
            has_scores,
            node_scores,
            values,
        )
        # If fewer are found, the others are beyond the radius.
        is_missing = found < wanted or node_count == 0
        best = NO_MATCH if is_missing else -np.inf
        missing = 0.0
        for place in range(np.uint64(0), np.uint64(found), np.uint64(1)):
            value = values[place]
            best = max(best, value)
            # Zero, unless a number is NaN, which a maximum may hide.
            missing = missing + value * 0.0
        new = best + missing
        if unusable < 0 and not (
            abs(new) <= LARGEST
            and usable(normal[0], normal[1], normal[2])
            and usable(direction[0], direction[1], direction[2])
        ):
            unusable = start + i
        least = min(least, new)
        gains[i] = gains[i] + new
    return least, unusable


@called
def sensed_at(sensed, query, first):
    return sensed[query, first], sensed[query, first + 1], sensed[query, first + 2]


@called
def _weigh(
    count,
    near,
    records,
    x,
    y,
    z,
    radius,
    normal,
    direction,
    sense,
    has_scores,
    scores,
    values,
):
    """Compute the evidence that each of some nodes gives.

    The hypothesis is at `x`, `y`, `z` and expects `normal` and `direction`. `records`
    are those of the graph's nodes; see `GraphArrays`. `values` receives the evidence.
    """
    # A loop without further conditions, which LLVM computes with vectors.
    for place in range(np.uint64(0), count, np.uint64(1)):
        node = np.uint64(near[place])
        cosine = _cosine(records[node, 3], records[node, 4], records[node, 5], normal)
        evidence = (0.5 - np.sqrt((1.0 - cosine) * 0.5)) * sense.normal_weight
        if sense.direction_known:
            cosine = _cosine(
                records[node, 6], records[node, 7], records[node, 8], direction
            )
            part = 0.5 - np.sqrt((1.0 - cosine) * (1.0 + cosine))
            part = part * records[node, 9]
            evidence = evidence + part * sense.direction_weight
        if has_scores:
            evidence = evidence + scores[node]
        away_x = records[node, 0] - x
        away_y = records[node, 1] - y
        away_z = records[node, 2] - z
        square = (away_x * away_x + away_y * away_y) + away_z * away_z
        off_plane = (away_x * normal[0] + away_y * normal[1]) + away_z * normal[2]
        distance = np.sqrt(square) + abs(off_plane) * sense.plane_factor
        values[place] = NO_MATCH if distance >= radius else evidence


@called
def _cosine(x, y, z, sensed):
    product = (x * sensed[0] + y * sensed[1]) + z * sensed[2]
    product = max(product, -1.0)
    return min(product, 1.0)
