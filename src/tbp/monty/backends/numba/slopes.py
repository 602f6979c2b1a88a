# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Past evidence and its slopes, compiled, for many segments at once.

What `numpy.slopes` states: recording the evidence after an update, and deleting
hypotheses whose slope is too low.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np
import numpy.typing as npt
from numba import prange

from tbp.monty.backends.numba.compiling import called, in_threads, launched
from tbp.monty.backends.numba.rounding import sum_as_numpy_does
from tbp.monty.backends.numpy.slopes import MIN_AGE
from tbp.monty.backends.tables.blocks import Blocks, make_blocks
from tbp.monty.backends.tables.hypotheses import HypothesisTable

__all__ = ["delete_declining", "record"]


def record(
    table: HypothesisTable, segments: Sequence[int], channels: Sequence[int]
) -> None:
    """Record the evidence of all hypotheses after an update, and their slopes.

    Args:
        table: The hypotheses.
        segments: The segments that were updated.
        channels: How many input channels took part in the update of each.
    """
    index = np.asarray(segments, dtype=np.int64)
    # Windows are ring buffers; the next slot is written.
    table.newest[index] = (table.newest[index] + 1) % table.window_size
    table.window_channels[index, table.newest[index]] = channels
    blocks = make_blocks(table.starts[index], table.counts[index])
    if len(blocks.owners):
        _record(
            in_threads(50 * table.counts[index].sum()),
            tuple(blocks),
            table.newest[index],
            table.window_channels[index],
            table.evidence,
            table.window,
            table.ages,
            table.slopes,
        )


class _Columns(NamedTuple):
    evidence: npt.NDArray[np.float64]
    locations: npt.NDArray[np.float64]
    poses: npt.NDArray[np.float64]
    window: npt.NDArray[np.float64]
    slopes: npt.NDArray[np.float64]
    ages: npt.NDArray[np.int32]


def delete_declining(
    table: HypothesisTable, segments: Sequence[int], least_slopes: Sequence[float]
) -> list[npt.NDArray[np.int64]]:
    """Delete old hypotheses whose slope is too low; return which, by segment."""
    index = np.asarray(segments, dtype=np.int64)
    counts = table.counts[index]
    ends = np.cumsum(counts)
    deleted = np.empty(counts.sum(), dtype=np.int64)
    deleted_counts = np.zeros(len(index), dtype=np.int64)
    _delete(
        table.starts[index],
        counts,
        ends - counts,
        np.asarray(least_slopes, dtype=np.float64),
        _Columns(*(getattr(table, name) for name in _Columns._fields)),
        deleted,
        deleted_counts,
    )
    result = []
    for i, segment in enumerate(segments):
        table.counts[segment] = counts[i] - deleted_counts[i]
        first = ends[i] - counts[i]
        result.append(deleted[first : first + deleted_counts[i]])
    return result


@launched(parallel=True)
def _record(threads, blocks, newest, channels, evidence, window, ages, slopes):
    """Record the evidence of all hypotheses.

    For each segment, `newest` is the slot to write, and `channels` how many input
    channels were behind each slot.
    """
    if threads:
        for block in prange(len(blocks[0])):
            _record_block(
                np.int64(block),
                blocks,
                newest,
                channels,
                evidence,
                window,
                ages,
                slopes,
            )
    else:
        for block in range(len(blocks[0])):
            _record_block(
                block, blocks, newest, channels, evidence, window, ages, slopes
            )


@called
def _record_block(block, blocks, newest, channels, evidence, window, ages, slopes):
    blocks = Blocks(*blocks)
    segment = blocks.owners[block]
    to_write = newest[segment]
    behind = channels[segment]
    size = window.shape[1]
    changes = np.empty(size - 1)
    for row in range(blocks.starts[block], blocks.stops[block]):
        window[row, to_write] = evidence[row]
        ages[row] += 1
        # From the oldest slot of the ring buffer to its newest.
        slot = to_write + 1 if to_write + 1 < size else 0
        before = window[row, slot]
        known = 0
        for i in range(size - 1):
            slot = slot + 1 if slot + 1 < size else 0
            after = window[row, slot]
            change = (after - before) / behind[slot]
            before = after
            if np.isnan(change):
                changes[i] = 0.0
            else:
                changes[i] = change
                known += 1
        slopes[row] = sum_as_numpy_does(changes) / known if known else np.nan


@launched()
def _delete(starts, counts, offsets, least_slopes, columns, deleted, deleted_counts):
    """Delete hypotheses and close the gaps.

    From each segment's offset on, `deleted` receives the places of hypotheses that were
    deleted there, and `deleted_counts` their number.
    """
    # Read from their tuple once.
    slopes, ages = columns.slopes, columns.ages
    for segment in range(len(starts)):
        start = starts[segment]
        least_slope = least_slopes[segment]
        kept = start
        gone = 0
        for row in range(start, start + counts[segment]):
            if not (slopes[row] >= least_slope or ages[row] < MIN_AGE):
                deleted[offsets[segment] + gone] = row - start
                gone += 1
                continue
            if kept != row:
                _move_row(row, kept, columns)
            kept += 1
        deleted_counts[segment] = gone


@called
def _move_row(row, to, columns):
    columns.evidence[to] = columns.evidence[row]
    columns.slopes[to] = columns.slopes[row]
    columns.ages[to] = columns.ages[row]
    for i in range(3):
        columns.locations[to, i] = columns.locations[row, i]
        for j in range(3):
            columns.poses[to, i, j] = columns.poses[row, i, j]
    for slot in range(columns.window.shape[1]):
        columns.window[to, slot] = columns.window[row, slot]
