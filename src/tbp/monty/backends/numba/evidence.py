# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The update of evidence, compiled: all hypotheses of all graphs in one launch.

The same arithmetic as in `numpy.evidence`, in the same order. Where a multiplication
and an addition are to be fused, that is said.

Names mean the same in all kernels. `fused` tells how rotations are rounded, `work` what
is to be computed. `blocks` are stretches of hypotheses, in order, and `found` has the
result of each. `gains` are what tested hypotheses gain on this step. `scores` are the
evidence of the nodes' features. `results` receives what is read next.
"""

from __future__ import annotations

from typing import NamedTuple, Tuple

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numba.compiling import (
    allocating,
    called,
    inlined,
    launched,
    part_of,
)
from tbp.monty.backends.numba.features import score_nodes
from tbp.monty.backends.numba.neighbors import (
    Sought,
    box_of,
    find_spots,
    is_out_of_reach,
    nearest_nodes,
    spot_of,
)
from tbp.monty.backends.numba.numbers import count_unusable, usable
from tbp.monty.backends.numba.rounding import dot
from tbp.monty.backends.numba.simd import (
    columns_of,
    entries_of,
    four_at,
    four_from,
    four_times,
    highest_of,
    number_in,
    put,
    roots,
    sizes,
    total_of,
    where_above,
    where_at_least,
)
from tbp.monty.backends.numba.threads import for_each
from tbp.monty.backends.numpy.evidence import BEST_MATCH, NO_MATCH
from tbp.monty.backends.numpy.numbers import LARGEST
from tbp.monty.backends.numpy.rounding import numpy_fuses_dots
from tbp.monty.backends.tables.blocks import make_blocks, starts_of
from tbp.monty.backends.tables.cells import SIMD_WIDTH
from tbp.monty.backends.tables.displacing import Moves
from tbp.monty.backends.tables.graphs import RECORD, GraphTable
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.kernel_work import (
    KernelWork,
    UpdateResult,
    raise_unusable,
)

__all__ = ["displace", "update"]


class _Work(NamedTuple):
    is_displaced: npt.NDArray[np.bool_]
    displacements: npt.NDArray[np.float64]
    thresholds: npt.NDArray[np.float64]
    past_weights: npt.NDArray[np.float64]
    present_weights: npt.NDArray[np.float64]
    match_starts: npt.NDArray[np.int64]
    match_graphs: npt.NDArray[np.int64]
    match_queries: npt.NDArray[np.int64]
    score_starts: npt.NDArray[np.int64]
    sensed: npt.NDArray[np.float64]
    direction_known: npt.NDArray[np.bool_]
    curvatures: npt.NDArray[np.float64]
    pose_weights: npt.NDArray[np.float64]
    neighbors: npt.NDArray[np.int64]


class _Graphs(NamedTuple):
    """Graphs; records are one number after the other."""

    boxes: npt.NDArray[np.float64]
    node_starts: npt.NDArray[np.int64]
    records: npt.NDArray[np.float64]
    cell_starts: npt.NDArray[np.uint32]
    members: npt.NDArray[np.uint32]
    place_starts: npt.NDArray[np.uint32]
    places: npt.NDArray[np.float32]


class _Hypotheses(NamedTuple):
    """Hypotheses; locations and poses are one number after the other."""

    evidence: npt.NDArray[np.float64]
    locations: npt.NDArray[np.float64]
    poses: npt.NDArray[np.float64]


class _Found(NamedTuple):
    """The result of each block of hypotheses.

    Attributes:
        unusable: The first hypothesis with unusable numbers, or -1.
        tested: How many hypotheses were tested.
        least: The least gain of these from each input channel.
        highest: The highest evidence, first before and then after this step.
        highest_row: The first hypothesis that has it.
    """

    unusable: npt.NDArray[np.int64]
    tested: npt.NDArray[np.int64]
    least: npt.NDArray[np.float64]
    highest: npt.NDArray[np.float64]
    highest_row: npt.NDArray[np.int64]


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
        fused: How rotations are rounded. Defaults to how numpy does it here.

    Returns:
        What the learning modules read next.
    """
    scores = score_nodes(graphs, work) if scores is None else scores
    row_starts, row_counts = table.starts[work.segments], table.counts[work.segments]
    blocks = make_blocks(row_starts, row_counts)
    result = UpdateResult.room_for(work)
    block_count = len(blocks.owners)
    if block_count == 0:
        return result
    # Allocated here: numba would compile it into parallel loops.
    found = _Found(
        unusable=np.empty(block_count, dtype=np.int64),
        tested=np.empty(block_count, dtype=np.int64),
        least=np.full((block_count, np.diff(work.match_starts).max()), np.inf),
        highest=np.empty(block_count),
        highest_row=np.empty(block_count, dtype=np.int64),
    )
    failed_block = _update(
        numpy_fuses_dots() if fused is None else fused,
        blocks,
        row_starts,
        part_of(work, _Work),
        _Graphs(
            boxes=graphs.boxes,
            node_starts=graphs.arrays.node_starts,
            records=graphs.arrays.records.reshape(-1),
            cell_starts=graphs.arrays.cell_starts,
            members=graphs.arrays.members,
            place_starts=graphs.arrays.place_starts,
            places=graphs.arrays.places,
        ),
        scores,
        _Hypotheses(
            table.evidence, table.locations.reshape(-1), table.poses.reshape(-1)
        ),
        np.empty(row_counts.sum()),
        found,
        result,
    )
    if failed_block >= 0:
        position = blocks.owners[failed_block]
        raise_unusable(
            table,
            int(work.segments[position]),
            int(found.unusable[failed_block] - row_starts[position]),
        )
    return result


def displace(table: HypothesisTable, moves: Moves, fused: bool | None = None) -> None:
    """Displace hypotheses, without an update of their evidence.

    Args:
        table: The hypotheses.
        moves: Which of them move, and how.
        fused: How rotations are rounded. Defaults to how numpy does it here.
    """
    segments = np.fromiter(moves, np.int64, len(moves))
    blocks = make_blocks(table.starts[segments], table.counts[segments])
    if len(blocks.owners) == 0:
        return
    _displace(
        numpy_fuses_dots() if fused is None else fused,
        blocks,
        starts_of([len(of_segment) for of_segment in moves.values()]),
        np.array([one for of_segment in moves.values() for one in of_segment], float),
        table.locations.reshape(-1),
        table.poses.reshape(-1),
    )


class _Sense(NamedTuple):
    """What one input channel senses. Scalars only, to stay in registers."""

    normal: Tuple[float, float, float]
    direction: Tuple[float, float, float]
    direction_known: bool
    plane_factor: float
    normal_weight: float
    direction_weight: float


@launched
def _update(
    fused, blocks, row_starts, work, graphs, scores, hypotheses, gains, found, results
):
    """Update all hypotheses, unless the numbers of one are unusable.

    Returns:
        The first block with unusable numbers, or -1.
    """
    # First only what this step adds, so that an error leaves everything as it was.
    for_each(
        _find_gains,
        len(blocks.owners),
        (fused, blocks, work, graphs, scores, hypotheses, gains, found),
    )

    for block in range(len(blocks.owners)):
        if found.unusable[block] >= 0:
            return block
    untested_gains = _combine(blocks, work, gains, found, results)

    for_each(
        _apply,
        len(blocks.owners),
        (fused, blocks, work, hypotheses, gains, untested_gains, found, results),
    )

    for block in range(len(blocks.owners)):
        segment = blocks.owners[block]
        if found.highest[block] > results.highest[segment]:
            results.highest[segment] = found.highest[block]
            results.most_likely[segment] = (
                found.highest_row[block] - row_starts[segment]
            )
    return -1


@launched
def _displace(fused, blocks, move_starts, moves, locations, poses):
    for_each(
        _displace_block,
        len(blocks.owners),
        (fused, blocks, move_starts, moves, locations, poses),
    )


@called
def _displace_block(block, fused, blocks, move_starts, moves, locations, poses):
    segment = blocks.owners[block]
    stop = blocks.stops[block]
    for row in range(blocks.starts[block], stop, 4):
        rows = four_from(row, stop - 1)
        for i in range(move_starts[segment], move_starts[segment + 1]):
            move = True, moves[i, 0], moves[i, 1], moves[i, 2]
            moved = _moved(fused, locations, poses, rows, move)
            _place(locations, rows, moved)


@allocating
def _find_gains(block, fused, blocks, work, graphs, scores, hypotheses, gains, found):
    """Compute what the hypotheses of a block gain on this step."""
    segment = blocks.owners[block]
    start = blocks.starts[block]
    count = blocks.stops[block] - start
    # Read from their tuples once: in a loop that would cost more than the rest.
    evidence = hypotheses.evidence
    locations = hypotheses.locations
    poses = hypotheses.poses
    threshold = work.thresholds[segment]
    block_gains = gains[blocks.offsets[block] : blocks.offsets[block] + count]
    block_gains[:] = 0.0
    move = _move(segment, work)
    is_tested = np.empty(count + 3, np.bool_)
    is_tested[count:] = False
    places = np.empty((3, count + 3))
    most_nodes = 0
    for match in range(work.match_starts[segment], work.match_starts[segment + 1]):
        graph = work.match_graphs[match]
        node_count = graphs.node_starts[graph + 1] - graphs.node_starts[graph]
        most_nodes = max(most_nodes, node_count)
    # Vectors are written whole, also beyond the last node.
    most_nodes += 3 * SIMD_WIDTH
    scratch = _Scratch(
        near=np.empty(most_nodes, np.uint32),
        squares=np.empty(most_nodes, np.float64),
        rough_squares=np.empty(most_nodes, np.float32),
    )
    sought = Sought(
        normals=np.empty((3, 4)),
        directions=np.empty((3, 4)),
        unusable=np.empty(4),
        spots=np.empty((4, 4)),
        lists=np.empty((4, 4), np.uint64),
    )
    unusable, tested, highest, highest_row = -1, 0, -np.inf, -1
    unusable_numbers = four_times(0.0)
    for i in range(0, count, 4):
        rows = four_from(start + i, start + count - 1)
        x, y, z = _moved(fused, locations, poses, rows, move)
        put(places[0], i, x)
        put(places[1], i, y)
        put(places[2], i, z)
        unusable_numbers = unusable_numbers + count_unusable(x, y, z)
    are_usable = total_of(unusable_numbers) == 0.0
    for i in range(count):
        row = start + i
        if evidence[row] > highest:
            highest, highest_row = evidence[row], row
        is_tested[i] = evidence[row] >= threshold
        tested += is_tested[i]
        if unusable < 0 and not (
            abs(evidence[row]) <= LARGEST
            and (are_usable or usable(places[0, i], places[1, i], places[2, i]))
        ):
            unusable = row

    first_match = work.match_starts[segment]
    for match in range(first_match, work.match_starts[segment + 1]):
        if unusable >= 0:
            break
        found.least[block, match - first_match], unusable = _add_channel(
            fused,
            match,
            start,
            is_tested,
            places,
            poses,
            work,
            graphs,
            scores,
            block_gains,
            scratch,
            sought,
        )
    found.unusable[block] = unusable
    found.tested[block] = tested
    found.highest[block] = highest
    found.highest_row[block] = highest_row


class _Scratch(NamedTuple):
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
def _add_channel(
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
    rotations = _poses_of(poses, rows)
    x, y, z = _rotated(fused, rotations, sense.normal)
    put(sought.normals[0], 0, x)
    put(sought.normals[1], 0, y)
    put(sought.normals[2], 0, z)
    unusable = count_unusable(x, y, z)
    x, y, z = _rotated(fused, rotations, sense.direction)
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
    evidence = (0.5 - roots((1.0 - cosine) * 0.5)) * sense.normal_weight
    if sense.direction_known:
        direction_x, direction_y = columns_of(records, RECORD, 6, nodes)
        direction_z, is_known = columns_of(records, RECORD, 8, nodes)
        cosine = _cosine(direction_x, direction_y, direction_z, direction)
        part = 0.5 - roots((1.0 - cosine) * (1.0 + cosine))
        part = part * is_known
        evidence = evidence + part * sense.direction_weight
    if has_scores:
        evidence = evidence + entries_of(scores, nodes)
    away_x = node_x - x
    away_y = node_y - y
    away_z = node_z - z
    square = (away_x * away_x + away_y * away_y) + away_z * away_z
    off_plane = (away_x * normal[0] + away_y * normal[1]) + away_z * normal[2]
    distance = roots(square) + sizes(off_plane) * sense.plane_factor
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


@allocating
def _combine(blocks, work, gains, found, results):
    """Combine the results of blocks, for each segment.

    `results` receives the number of tested hypotheses and the prediction error.

    Returns:
        What hypotheses that are not tested gain, for each segment.
    """
    segment_count = len(results.tested)
    channel_count = found.least.shape[1]
    least = np.empty((segment_count, channel_count))
    highest = np.empty(segment_count)
    highest_gain = np.empty(segment_count)
    untested_gains = np.empty(segment_count)
    least[:, :] = np.inf
    highest[:] = -np.inf
    highest_gain[:] = 0.0
    untested_gains[:] = 0.0
    for block in range(len(blocks.owners)):
        segment = blocks.owners[block]
        results.tested[segment] += found.tested[block]
        for channel in range(channel_count):
            least[segment, channel] = min(
                least[segment, channel], found.least[block, channel]
            )
        if found.highest[block] > highest[segment]:
            highest[segment] = found.highest[block]
            highest_gain[segment] = gains[
                found.highest_row[block] - blocks.starts[block] + blocks.offsets[block]
            ]

    for segment in range(segment_count):
        if results.tested[segment] == 0:
            continue
        channels = work.match_starts[segment + 1] - work.match_starts[segment]
        for channel in range(channels):
            untested_gains[segment] += max(0.0, least[segment, channel])
        gain = untested_gains[segment]
        if highest[segment] >= work.thresholds[segment]:
            gain = highest_gain[segment]
        results.prediction_error[segment] = (BEST_MATCH * channels - gain) / (
            (BEST_MATCH - NO_MATCH) * channels
        )
    return untested_gains


@called
def _apply(
    block, fused, blocks, work, hypotheses, gains, untested_gains, found, results
):
    """Move the hypotheses of a block and give them what they gain.

    `found` receives the highest evidence, and the first hypothesis that has it.
    """
    segment = blocks.owners[block]
    to_gain = blocks.offsets[block] - blocks.starts[block]
    all_evidence = hypotheses.evidence
    locations = hypotheses.locations
    poses = hypotheses.poses
    move = _move(segment, work)
    some_are_tested = results.tested[segment] > 0
    threshold = work.thresholds[segment]
    untested_gain = untested_gains[segment]
    past_weight = work.past_weights[segment]
    present_weight = work.present_weights[segment]
    highest, highest_row = -np.inf, -1
    start, stop = blocks.starts[block], blocks.stops[block]
    for row in range(start, stop, 4):
        rows = four_from(row, stop - 1)
        # Recomputed, which is faster than storing it.
        _place(locations, rows, _moved(fused, locations, poses, rows, move))
    for row in range(start, stop):
        evidence = all_evidence[row]
        if some_are_tested:
            gain = gains[row + to_gain] if evidence >= threshold else untested_gain
            evidence = evidence * past_weight + gain * present_weight
            all_evidence[row] = evidence
        if evidence > highest:
            highest, highest_row = evidence, row
    found.highest[block] = highest
    found.highest_row[block] = highest_row


@called
def _move(segment, work):
    return (
        work.is_displaced[segment],
        work.displacements[segment, 0],
        work.displacements[segment, 1],
        work.displacements[segment, 2],
    )


@inlined
def _moved(fused, locations, poses, rows, move):
    """Return where the hypotheses of four rows are after a displacement."""
    x, y = columns_of(locations, 3, 0, rows)
    y, z = columns_of(locations, 3, 1, rows)
    if not move[0]:
        return x, y, z
    by = _rotated(fused, _poses_of(poses, rows), (move[1], move[2], move[3]))
    return x + by[0], y + by[1], z + by[2]


@inlined
def _place(locations, rows, places):
    """Write the locations of four rows."""
    for lane in range(4):
        first = np.uint64(3) * rows[lane]
        locations[first] = number_in(places[0], lane)
        locations[first + np.uint64(1)] = number_in(places[1], lane)
        locations[first + np.uint64(2)] = number_in(places[2], lane)


@inlined
def _poses_of(poses, rows):
    """Return the rotations of four rows, by row of the matrix."""
    xx, xy = columns_of(poses, 9, 0, rows)
    xz, yx = columns_of(poses, 9, 2, rows)
    yy, yz = columns_of(poses, 9, 4, rows)
    zx, zy = columns_of(poses, 9, 6, rows)
    zy, zz = columns_of(poses, 9, 7, rows)
    return (xx, xy, xz), (yx, yy, yz), (zx, zy, zz)


@inlined
def _rotated(fused, poses, vector):
    return (
        dot(fused, poses[0], vector),
        dot(fused, poses[1], vector),
        dot(fused, poses[2], vector),
    )
