# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Votes on a device: what to vote for, and votes added to the evidence."""

from __future__ import annotations

from typing import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.constants import (
    LIKELY_NUMBERS,
    SEGMENT_THREADS,
    SIDES,
    UPDATE_THREADS,
)
from tbp.monty.backends.device.hypotheses import DeviceHypothesisTable
from tbp.monty.backends.device.layout import RESULT, VOTES
from tbp.monty.backends.device.rooms import Rooms
from tbp.monty.backends.device.stream import fetched
from tbp.monty.backends.numpy.votes import VotesForGraph, evidence_with_votes
from tbp.monty.backends.tables.blocks import owners_and_firsts, starts_of
from tbp.monty.backends.tables.flags import all_of, any_of
from tbp.monty.backends.tables.likely_rows import LikelyRows

__all__ = ["FIRST_LIKELY", "add_votes", "likely_rows"]

FIRST_LIKELY = 64
"""How many likely hypotheses are read without knowing how many there are."""


def add_votes(
    rooms: Rooms, table: DeviceHypothesisTable, votes: Mapping[int, VotesForGraph]
) -> None:
    """Add votes to the evidence of segments.

    Args:
        rooms: Memory of the stream that runs it.
        table: The hypotheses, in a fork.
        votes: The votes by segment; each segment has hypotheses.
    """
    each = list(votes.values())
    locations = np.concatenate([one.locations for one in each], dtype=np.float64)
    if not all_of(np.isfinite(locations)):
        for segment, of_segment in votes.items():
            _add_on_host(table, segment, of_segment)
        return
    segments = np.fromiter(votes, np.int64, len(votes))
    results, unsure = _add(rooms, table, segments, each, locations)
    sure = segments[unsure == 0]
    table.sides[sure] ^= SIDES["evidence"]
    table.keep_results(sure, results[unsure == 0])
    for segment in segments[unsure != 0].tolist():
        # The kernel cannot tell which votes count.
        _add_on_host(table, segment, votes[segment])


def _add(
    rooms: Rooms,
    table: DeviceHypothesisTable,
    segments: npt.NDArray[np.int64],
    each: Sequence[VotesForGraph],
    locations: npt.NDArray[np.float64],
) -> tuple[npt.NDArray, npt.NDArray[np.int64]]:
    """Return the results of segments, and how many of their hypotheses are unsure."""
    counts = table.counts[segments]
    ends = counts.cumsum()
    owners, firsts = owners_and_firsts(counts, UPDATE_THREADS)
    # Flat: numpy takes much longer to make an array of tuples.
    numbers = [x for one in each for x in (one.distance, one.reach**2, one.weight)]
    arrays: dict[str, npt.ArrayLike] = dict(
        locations=locations,
        confidences=np.concatenate([one.confidences for one in each], dtype=np.float64),
        vote_starts=starts_of([len(one.locations) for one in each]),
        numbers=np.array(numbers, dtype=np.float64),
        are_bounded=[one.is_bounded for one in each],
        row_starts=table.starts[segments],
        row_counts=counts,
        sides=table.sides[segments],
        place_starts=ends - counts,
        block_owners=owners,
        block_firsts=firsts,
    )
    result_bytes = len(each) * RESULT.itemsize
    nbytes = result_bytes + len(each) * 8
    results_at = rooms.room("the results of votes", nbytes)
    others = dict(
        is_unsure=rooms.room("unsure votes", int(ends[-1])),
        results=results_at,
        unsure=results_at + result_bytes,
    )
    address = rooms.send("votes", arrays, (VOTES, others))[VOTES.name]
    stream, rows = rooms.stream, table.address
    stream.launch("add_votes", len(owners), UPDATE_THREADS, rows, address)
    stream.launch("tell_voted", len(each), SEGMENT_THREADS, rows, address)
    (found,) = fetched(stream, results_at, (1, nbytes), np.dtype(np.uint8))
    # To view it as structures takes numpy longer.
    results = np.frombuffer(found, RESULT, len(each))
    return results, np.frombuffer(found, np.int64, offset=result_bytes)


def _add_on_host(
    table: DeviceHypothesisTable, segment: int, votes: VotesForGraph
) -> None:
    locations = table.read(segment, "locations")
    evidence = evidence_with_votes(table.read(segment, "evidence"), locations, votes)
    table.write(segment, "evidence", evidence)
    table.most_likely[segment] = evidence.argmax()
    table.highest[segment] = evidence.max()
    table.is_known[segment] = True


def likely_rows(
    rooms: Rooms,
    table: DeviceHypothesisTable,
    segments: Sequence[int],
    threshold: float,
) -> LikelyRows:
    """Return hypotheses with much evidence; see `tables.likely_rows`."""
    indices = np.array(segments, dtype=np.int64)
    counts = table.counts[indices]
    if not any_of(counts):
        return LikelyRows.none(len(counts))
    ends = counts.cumsum()
    stream, real, many = rooms.stream, rooms.stream.real, len(counts)
    arrays = dict(
        row_starts=table.starts[indices],
        row_counts=counts,
        sides=table.sides[indices],
        place_starts=ends - counts,
    )
    sent = rooms.send("likely rows", {**arrays, "threshold": [threshold]})
    places = rooms.room("likely places", int(ends[-1]) * 8)
    # Extremes, counts and the first hypotheses are in one piece, to be read at once.
    counts_at = 2 * many * real.itemsize
    rows_at = counts_at + many * 8
    nbytes = rows_at + FIRST_LIKELY * LIKELY_NUMBERS * real.itemsize
    found = rooms.room("likely hypotheses", nbytes)
    each = (many, SEGMENT_THREADS, table.address, *(sent[name] for name in arrays))
    stream.launch("find_extremes", *each, found)
    to_choose = found, many, sent["threshold"]
    chosen = places, found + counts_at
    stream.launch("choose_likely", *each, *to_choose, *chosen)
    stream.launch("gather_likely", *each, *chosen, found + rows_at, FIRST_LIKELY)
    [read] = fetched(stream, found, (1, nbytes), np.dtype(np.uint8))
    extremes = read[:counts_at].view(real)
    of_segments = read[counts_at:rows_at].view(np.int64)
    total = int(of_segments.sum())
    rows = read[rows_at:].view(real).reshape(-1, LIKELY_NUMBERS)[:total]
    if total > FIRST_LIKELY:
        numbers = total * LIKELY_NUMBERS
        more = rooms.room("more likely hypotheses", numbers * real.itemsize)
        stream.launch("gather_likely", *each, *chosen, more, total)
        rows = fetched(stream, more, (1, numbers), real).reshape(-1, LIKELY_NUMBERS)
    rows = rows.astype(np.float64)
    return LikelyRows(
        float(extremes[0::2].min()),
        float(extremes[1::2].max()),
        of_segments,
        rows[:, 0].copy(),
        rows[:, 1:4].copy(),
        rows[:, 4:].reshape(total, 3, 3),
    )
