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

from typing import NamedTuple, Tuple

import numpy as np

from tbp.monty.backends.numba.compiling import called, inlined
from tbp.monty.backends.numba.displacing import poses_of, rotated
from tbp.monty.backends.numba.neighbors import (
    box_of,
    find_spots,
    is_out_of_reach,
    nearest_nodes,
    spot_of,
)
from tbp.monty.backends.numba.numbers import count_unusable
from tbp.monty.backends.numba.simd import (
    absolute_values,
    columns_of,
    entries_of,
    four_at,
    four_from,
    four_times,
    highest_of,
    put,
    square_roots,
    total_of,
    where_above,
    where_at_least,
)
from tbp.monty.backends.numpy.evidence import NO_MATCH
from tbp.monty.backends.numpy.numbers import LARGEST
from tbp.monty.backends.tables.graphs import RECORD

__all__ = ["Scratch", "add_channel"]


class _Sense(NamedTuple):
    """What one input channel senses. Scalars only, to stay in registers."""

    normal: Tuple[float, float, float]
    direction: Tuple[float, float, float]
    direction_known: bool
    plane_factor: float
    normal_weight: float
    direction_weight: float


class Scratch(NamedTuple):
    """Buffers, used by one hypothesis after the other.

    Attributes:
        near: The nearest nodes.
        squares: Squares of distances.
        rough_squares: The same, rounded.
    """

    near: np.ndarray
    squares: np.ndarray
    rough_squares: np.ndarray


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
    sought,
):
    """Add this step's evidence from one input channel.

    `start` is the first hypothesis; `is_tested`, `places` and `gains` begin with it.
    `poses` are those of all hypotheses, one number after the other.

    Returns:
        The least evidence, and the first hypothesis with unusable numbers or -1.
    """
    query = work.match_queries[match]
    graph = work.match_graphs[match]
    box = box_of(graph, graphs.boxes)
    sense = _sense_of(query, work)
    first_node = graphs.node_starts[graph]
    node_count = graphs.node_starts[graph + 1] - first_node
    records = graphs.records[RECORD * first_node :]
    wanted = min(work.neighbors[query], node_count)
    has_scores = work.score_starts[match] >= 0
    node_scores = scores[max(work.score_starts[match], 0) :]
    cell_starts = graphs.cell_starts
    place_starts = graphs.place_starts
    members = graphs.members
    all_places = graphs.places
    near = scratch.near
    squares = scratch.squares
    rough_squares = scratch.rough_squares

    least, unusable = np.inf, -1
    for first in range(0, len(gains), 4):
        if not (
            is_tested[first]
            or is_tested[first + 1]
            or is_tested[first + 2]
            or is_tested[first + 3]
        ):
            continue
        rows = four_from(start + first, start + len(gains) - 1)
        _expect(fused, poses, rows, sense, sought)
        find_spots(
            four_at(places[0], first),
            four_at(places[1], first),
            four_at(places[2], first),
            box,
            cell_starts,
            place_starts,
            sought,
        )
        for lane in range(np.uint64(4)):
            i = np.uint64(first) + lane
            if not is_tested[i]:
                continue
            x, y, z = places[0, i], places[1, i], places[2, i]
            normals, directions = sought.normals, sought.directions
            normal = (normals[0, lane], normals[1, lane], normals[2, lane])
            direction = (directions[0, lane], directions[1, lane], directions[2, lane])
            spot = spot_of(lane, box, sought)
            found = 0
            if not is_out_of_reach(x, y, z, box):
                found = nearest_nodes(
                    x,
                    y,
                    z,
                    wanted,
                    box,
                    spot,
                    records,
                    members,
                    all_places,
                    near,
                    squares,
                    rough_squares,
                )
            # If fewer are found, the others are beyond the radius.
            is_missing = found < wanted or node_count == 0
            best = four_times(NO_MATCH if is_missing else -np.inf)
            missing = four_times(0.0)
            # The last four are padded: a node that comes twice changes no maximum.
            for place in range(found, found + 3):
                near[np.uint64(place)] = near[0]
            for place in range(np.uint64(0), np.uint64(found), np.uint64(4)):
                evidence = _evidence_of_four(
                    _nodes_of(members, spot.first_member, near, place),
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
                )
                best = where_above(evidence, best, evidence, best)
                # Zero, unless a number is NaN, which a maximum may hide.
                missing = missing + evidence * 0.0
            new = highest_of(best) + total_of(missing)
            if unusable < 0 and not (
                sought.unusable[lane] == 0.0 and abs(new) <= LARGEST
            ):
                unusable = start + np.int64(i)
            least = min(least, new)
            gains[i] = gains[i] + new
    return least, unusable


@inlined
def _expect(fused, poses, rows, sense, sought):
    """Note what the hypotheses of four rows expect to sense."""
    rotations = poses_of(poses, rows)
    x, y, z = rotated(fused, rotations, sense.normal)
    put(sought.normals[0], 0, x)
    put(sought.normals[1], 0, y)
    put(sought.normals[2], 0, z)
    unusable = count_unusable(x, y, z)
    x, y, z = rotated(fused, rotations, sense.direction)
    put(sought.directions[0], 0, x)
    put(sought.directions[1], 0, y)
    put(sought.directions[2], 0, z)
    put(sought.unusable, 0, unusable + count_unusable(x, y, z))


@inlined
def _nodes_of(members, first, near, place):
    return (
        np.uint64(members[first + np.uint64(near[place])]),
        np.uint64(members[first + np.uint64(near[place + np.uint64(1)])]),
        np.uint64(members[first + np.uint64(near[place + np.uint64(2)])]),
        np.uint64(members[first + np.uint64(near[place + np.uint64(3)])]),
    )


@inlined
def _evidence_of_four(
    nodes, records, x, y, z, radius, normal, direction, sense, has_scores, scores
):
    """Return the evidence that each of four nodes gives.

    The hypothesis is at `x`, `y`, `z` and expects `normal` and `direction`. `records`
    are those of the graph's nodes, one after the other; see `GraphArrays`.
    """
    node_x, node_y = columns_of(records, RECORD, 0, nodes)
    node_z, normal_x = columns_of(records, RECORD, 2, nodes)
    normal_y, normal_z = columns_of(records, RECORD, 4, nodes)
    cosine = _cosine(normal_x, normal_y, normal_z, normal)
    evidence = (0.5 - square_roots((1.0 - cosine) * 0.5)) * sense.normal_weight
    if sense.direction_known:
        direction_x, direction_y = columns_of(records, RECORD, 6, nodes)
        direction_z, is_known = columns_of(records, RECORD, 8, nodes)
        cosine = _cosine(direction_x, direction_y, direction_z, direction)
        part = 0.5 - square_roots((1.0 - cosine) * (1.0 + cosine))
        part = part * is_known
        evidence = evidence + part * sense.direction_weight
    if has_scores:
        evidence = evidence + entries_of(scores, nodes)
    away_x = node_x - x
    away_y = node_y - y
    away_z = node_z - z
    square = (away_x * away_x + away_y * away_y) + away_z * away_z
    off_plane = (away_x * normal[0] + away_y * normal[1]) + away_z * normal[2]
    distance = square_roots(square) + absolute_values(off_plane) * sense.plane_factor
    return where_at_least(distance, radius, NO_MATCH, evidence)


@inlined
def _cosine(x, y, z, sensed):
    product = (x * sensed[0] + y * sensed[1]) + z * sensed[2]
    product = where_above(-1.0, product, -1.0, product)
    return where_above(product, 1.0, 1.0, product)


@called
def _sense_of(query, work):
    sensed = work.sensed
    return _Sense(
        normal=(sensed[query, 0], sensed[query, 1], sensed[query, 2]),
        direction=(sensed[query, 3], sensed[query, 4], sensed[query, 5]),
        direction_known=work.direction_known[query],
        plane_factor=1.0 / (abs(work.curvatures[query]) + 0.5),
        normal_weight=work.pose_weights[query, 0],
        direction_weight=work.pose_weights[query, 1],
    )
