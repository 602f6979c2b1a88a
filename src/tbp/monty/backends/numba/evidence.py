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

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import prange

from tbp.monty.backends.numba.channels import Scratch, add_channel
from tbp.monty.backends.numba.compiling import called, in_threads, launched, tuple_of
from tbp.monty.backends.numba.displacing import moved_location
from tbp.monty.backends.numba.features import score_nodes
from tbp.monty.backends.numba.numbers import usable
from tbp.monty.backends.numpy.evidence import BEST_MATCH, NO_MATCH
from tbp.monty.backends.numpy.numbers import LARGEST
from tbp.monty.backends.numpy.rounding import numpy_fuses_dots
from tbp.monty.backends.tables.blocks import Blocks, make_blocks
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.kernel_work import (
    KernelWork,
    UpdateResult,
    raise_unusable,
)

__all__ = ["update"]


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
    boxes: npt.NDArray[np.float64]
    node_starts: npt.NDArray[np.int64]
    records: npt.NDArray[np.float64]
    cell_starts: npt.NDArray[np.uint32]
    members: npt.NDArray[np.uint32]
    member_x: npt.NDArray[np.float64]
    member_y: npt.NDArray[np.float64]
    member_z: npt.NDArray[np.float64]


class _Hypotheses(NamedTuple):
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
    gains = np.empty(row_counts.sum())
    found = _Found(
        unusable=np.empty(block_count, dtype=np.int64),
        tested=np.empty(block_count, dtype=np.int64),
        least=np.full((block_count, np.diff(work.match_starts).max()), np.inf),
        highest=np.empty(block_count),
        highest_row=np.empty(block_count, dtype=np.int64),
    )
    arrays, places = graphs.arrays, graphs.places
    failed_block = _update(
        numpy_fuses_dots() if fused is None else fused,
        in_threads(350 * len(gains)),
        in_threads(40 * len(gains)),
        tuple(blocks),
        row_starts,
        tuple_of(work, _Work),
        (
            graphs.boxes,
            arrays.node_starts,
            arrays.records,
            arrays.cell_starts,
            arrays.members,
            *places,
        ),
        scores,
        (table.evidence, table.locations, table.poses),
        gains,
        tuple(found),
        tuple(result),
    )
    if failed_block >= 0:
        position = blocks.owners[failed_block]
        segment = int(work.segments[position])
        place = int(found.unusable[failed_block] - row_starts[position])
        count, row = int(row_counts[position]), table.hypothesis(segment, place)
        raise_unusable(table.owner_of(segment), place, count, row)
    return result


@launched(parallel=True)
def _update(
    fused,
    finds_in_threads,
    applies_in_threads,
    blocks,
    row_starts,
    work,
    graphs,
    scores,
    hypotheses,
    gains,
    found,
    results,
):
    """Update all hypotheses, unless the numbers of one are unusable.

    Returns:
        The first block with unusable numbers, or -1.
    """
    count = len(blocks[0])
    # First only what this step adds, so that an error leaves everything as it was.
    if finds_in_threads:
        for block in prange(count):
            _find_gains(
                np.int64(block),
                fused,
                blocks,
                work,
                graphs,
                scores,
                hypotheses,
                gains,
                found,
            )
    else:
        for block in range(count):
            _find_gains(
                block, fused, blocks, work, graphs, scores, hypotheses, gains, found
            )

    failed_block = _first_failed(found)
    if failed_block >= 0:
        return failed_block
    untested_gains = _combine(blocks, work, gains, found, results)

    if applies_in_threads:
        for block in prange(count):
            _apply(
                np.int64(block),
                fused,
                blocks,
                work,
                hypotheses,
                gains,
                untested_gains,
                found,
                results,
            )
    else:
        for block in range(count):
            _apply(
                block,
                fused,
                blocks,
                work,
                hypotheses,
                gains,
                untested_gains,
                found,
                results,
            )
    _find_most_likely(blocks, row_starts, found, results)
    return -1


@called
def _first_failed(found):
    unusable = _Found(*found).unusable
    for block in range(len(unusable)):
        if unusable[block] >= 0:
            return block
    return -1


@called
def _find_gains(block, fused, blocks, work, graphs, scores, hypotheses, gains, found):
    """Compute what the hypotheses of a block gain on this step."""
    blocks, work, graphs = Blocks(*blocks), _Work(*work), _Graphs(*graphs)
    hypotheses, found = _Hypotheses(*hypotheses), _Found(*found)
    segment = blocks.owners[block]
    start = blocks.starts[block]
    count = blocks.stops[block] - start
    # Read from their tuples once: in a loop that would cost more than the rest.
    evidence = hypotheses.evidence
    locations = hypotheses.locations
    poses = hypotheses.poses
    threshold = work.thresholds[segment]
    block_gains = gains[blocks.offsets[block] : blocks.offsets[block] + count]
    is_displaced, move_x, move_y, move_z = _move(segment, work)
    is_tested = np.empty(count, np.bool_)
    places = np.empty((3, count))
    unusable, tested, highest, highest_row = -1, 0, -np.inf, -1
    for i in range(count):
        row = start + i
        x, y, z = _moved(
            fused, locations, poses, row, is_displaced, move_x, move_y, move_z
        )
        places[0, i] = x
        places[1, i] = y
        places[2, i] = z
        block_gains[i] = 0.0
        if evidence[row] > highest:
            highest, highest_row = evidence[row], row
        is_tested[i] = evidence[row] >= threshold
        tested += is_tested[i]
        if unusable < 0 and not (abs(evidence[row]) <= LARGEST and usable(x, y, z)):
            unusable = row

    first_match = work.match_starts[segment]
    stop_match = work.match_starts[segment + 1]
    most_nodes = 0
    for match in range(first_match, stop_match):
        graph = work.match_graphs[match]
        node_count = graphs.node_starts[graph + 1] - graphs.node_starts[graph]
        most_nodes = max(most_nodes, node_count)
    # One more, as a node is written before it is known whether it is near.
    scratch = Scratch(
        near=np.empty(most_nodes + 1, np.uint32),
        squares=np.empty(most_nodes + 1),
        evidence=np.empty(most_nodes + 1),
    )
    for match in range(first_match, stop_match):
        if unusable >= 0:
            break
        found.least[block, match - first_match], unusable = add_channel(
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
        )
    found.unusable[block] = unusable
    found.tested[block] = tested
    found.highest[block] = highest
    found.highest_row[block] = highest_row


@called
def _combine(blocks, work, gains, found, results):
    """Combine the results of blocks, for each segment.

    `results` receives the number of tested hypotheses and the prediction error.

    Returns:
        What hypotheses that are not tested gain, for each segment.
    """
    blocks, work = Blocks(*blocks), _Work(*work)
    found, results = _Found(*found), UpdateResult(*results)
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
    blocks, work, hypotheses = Blocks(*blocks), _Work(*work), _Hypotheses(*hypotheses)
    found, results = _Found(*found), UpdateResult(*results)
    segment = blocks.owners[block]
    to_gain = blocks.offsets[block] - blocks.starts[block]
    all_evidence = hypotheses.evidence
    locations = hypotheses.locations
    poses = hypotheses.poses
    is_displaced, move_x, move_y, move_z = _move(segment, work)
    some_are_tested = results.tested[segment] > 0
    threshold = work.thresholds[segment]
    untested_gain = untested_gains[segment]
    past_weight = work.past_weights[segment]
    present_weight = work.present_weights[segment]
    highest, highest_row = -np.inf, -1
    for row in range(blocks.starts[block], blocks.stops[block]):
        # Recomputed, which is faster than storing it.
        x, y, z = _moved(
            fused, locations, poses, row, is_displaced, move_x, move_y, move_z
        )
        locations[row, 0] = x
        locations[row, 1] = y
        locations[row, 2] = z
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
def _find_most_likely(blocks, row_starts, found, results):
    blocks, found, results = Blocks(*blocks), _Found(*found), UpdateResult(*results)
    for block in range(len(blocks.owners)):
        segment = blocks.owners[block]
        if found.highest[block] > results.highest[segment]:
            results.highest[segment] = found.highest[block]
            results.most_likely[segment] = (
                found.highest_row[block] - row_starts[segment]
            )


@called
def _move(segment, work):
    """Return how the hypotheses of a segment move; see `_moved`."""
    return (
        work.is_displaced[segment],
        work.displacements[segment, 0],
        work.displacements[segment, 1],
        work.displacements[segment, 2],
    )


@called
def _moved(fused, locations, poses, row, is_displaced, x, y, z):
    if is_displaced:
        return moved_location(fused, locations, poses, row, x, y, z)
    return locations[row, 0], locations[row, 1], locations[row, 2]
