# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A step on a device: one launch per stage for all segments of a work."""

from __future__ import annotations

import operator
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.graphs import DeviceGraphs
from tbp.monty.backends.device.hypotheses import DeviceHypothesisTable
from tbp.monty.backends.device.layout import (
    CHANNEL_BYTES,
    COMBINE_THREADS,
    FOUND_BYTES,
    RESULT,
    SEGMENT_BYTES,
    SEGMENT_THREADS,
    UPDATE_THREADS,
    UPDATE_WARPS,
    WORK,
)
from tbp.monty.backends.device.moves import arrays_of
from tbp.monty.backends.device.rooms import Rooms
from tbp.monty.backends.device.sampling import DeviceSamples, Sorter
from tbp.monty.backends.numpy.rounding import (
    numpy_fuses_matrix_products,
    sum_as_numpy_does,
)
from tbp.monty.backends.numpy.slopes import MIN_AGE
from tbp.monty.backends.tables.displacing import Moves
from tbp.monty.backends.tables.engine import NewHypotheses
from tbp.monty.backends.tables.flags import any_of
from tbp.monty.backends.tables.kernel_work import (
    KernelWork,
    UpdateResult,
    raise_unusable,
)

__all__ = ["DeviceStep"]

_SETTLED = (
    *("past_weights", "present_weights", "match_starts", "match_graphs"),
    *("match_queries", "score_starts", "pose_weights", "neighbors", "column_starts"),
    *("increments", "tolerances", "weights", "kinds"),
)
"""What is the same on one step after the other, as long as settings and graphs are."""

_settled_of = operator.attrgetter(*_SETTLED)

_SENT = [
    name
    for name in KernelWork._fields
    if name in {*WORK.names} - {*_SETTLED, "segments"}
]
"""What else kernels take of a work without a change."""

_sent_of = operator.attrgetter(*_SENT)

_NOT_FAILED = np.zeros(1, dtype=np.int64)


class DeviceStep:
    """A step of an engine; see `Step`."""

    def __init__(
        self,
        rooms: Rooms,
        table: DeviceHypothesisTable,
        graphs: DeviceGraphs,
        work: KernelWork,
        new: NewHypotheses,
        moves: Moves,
        sorter: Sorter,
        *,
        fused: bool,
    ) -> None:
        self._rooms = rooms
        self._stream = rooms.stream
        self._table = table
        self._graphs = graphs
        self._sorter = sorter
        self._fused = fused
        self._work = work
        self._segments = work.segments
        self._new = new
        self._moves = moves
        self._before = table.counts[self._segments]
        # Of each segment; fewer if some of those before are deleted.
        self._most_rows = self._before
        self._added: npt.NDArray[np.int64] | None = None
        if new:
            self._added = new.added(len(self._segments))
            self._most_rows = self._before + self._added
            table.reserve(self._segments, self._most_rows)
        self._matches = graphs.matches_of(work)
        self._sent: Mapping[str, int] = {}
        self._is_recorded = False
        self._added_at = 0
        self._are_found = False
        """Whether the results name the most likely hypotheses: not after hypotheses
        were left untested or appended."""
        self._results: npt.NDArray[np.uint8] | None = None

    def delete_declining(self, least_slopes: npt.NDArray[np.float64]) -> None:
        sent = self._send(least_slopes=least_slopes)
        self._deleted_at = self._rooms.room("deleted", self._table.capacity)
        self._stream.launch(
            "delete_declining",
            len(self._segments),
            SEGMENT_THREADS,
            self._address,
            self._table.address,
            sent["least_slopes"],
            MIN_AGE,
            self._deleted_at,
        )

    def update(self) -> None:
        if not self._sent:
            self._send()
        stream, work = self._stream, self._address
        segments, matches = len(self._segments), len(self._work.match_graphs)
        record_blocks = -(-max(segments, matches) // UPDATE_THREADS)
        blocks, hypotheses = self._blocks.count, self._table.address
        moving = blocks if self._moves else 0
        stream.launch(
            "score_nodes",
            record_blocks + moving + self._score_blocks.count,
            UPDATE_THREADS,
            self._graphs.address,
            work,
            hypotheses,
            self._score_blocks.owners,
            self._score_blocks.firsts,
            segments,
            matches,
            moving,
        )
        if self._moves:
            self._table.results.forget_most_likely(self._segments)
            self._moves.clear()
        stream.launch("update", blocks, UPDATE_THREADS, work, hypotheses)
        stream.launch("combine", len(self._segments), COMBINE_THREADS, work, hypotheses)
        self._are_found = not any_of(self._work.thresholds > -np.inf)
        if not self._are_found:
            stream.launch("settle_untested", blocks, UPDATE_THREADS, work, hypotheses)

    def mean_evidence(self, position: int) -> float:
        segment = int(self._segments[position])
        # What was just written is on the other side.
        self._table.sides[segment] ^= 1
        try:
            return float(np.mean(self._table.read(segment, "evidence")))
        finally:
            self._table.sides[segment] ^= 1

    def append(self) -> None:
        added = self._added
        if added is None or not any_of(added):
            return
        samples = DeviceSamples(self._rooms, self._graphs, self._work, self._new, added)
        samples.choose_nodes(
            self._address, self._score_blocks, self._sorter, self._about
        )
        self._stream.launch(
            "append_samples",
            samples.blocks.count,
            UPDATE_THREADS,
            self._graphs.address,
            self._address,
            self._table.address,
            samples.address,
            int(self._table.window_size > 0),
        )
        self._added_at = samples.added
        self._are_found = False

    def record(self) -> None:
        self._record(self._sent["newest"], self._sent["window_channels"])
        self._is_recorded = True

    def fetch(self) -> None:
        if not self._are_found and not self._is_recorded:
            self._record()
        self._stream.launch(
            "find_likely",
            len(self._segments),
            SEGMENT_THREADS,
            self._address,
            self._table.address,
            self._added_at,
            int(self._is_recorded or not self._are_found),
        )
        nbytes = len(self._segments) * RESULT.itemsize
        self._results = self._stream.fetch(self._results_at, nbytes)

    def finish(self) -> UpdateResult:
        if self._results is None:
            self.fetch()
        self._stream.wait(self._about)
        assert self._results is not None
        # A copy: the memory it came in is used again. Of bytes, as numpy copies
        # structures field by field.
        results = np.frombuffer(self._results.tobytes(), RESULT)
        table, segments = self._table, self._segments
        table.counts[segments] = results["count"]
        is_unusable = results["unusable"] >= 0
        if any_of(is_unusable):
            table.results.forget(segments)  # some of their hypotheses may be deleted
            position = int(np.argmax(is_unusable))
            raise_unusable(
                table, int(segments[position]), int(results["unusable"][position])
            )
        table.sides[segments] = 1 - self._sides
        if self._is_recorded:
            table.newest[segments] = self._newest
            table.window_channels[segments, self._newest] = self._matches.channel_counts
        table.keep_results(segments, results)
        return UpdateResult(
            highest=results["highest"],
            most_likely=results["most_likely"],
            prediction_error=results["prediction_error"],
            tested=results["tested"],
        )

    def deleted(self, position: int) -> npt.NDArray[np.int64]:
        count = int(self._before[position])
        if count == 0:
            return np.zeros(0, dtype=np.int64)
        address = self._deleted_at + int(self._starts[position])
        is_deleted = self._stream.read(address, count, (1, count), np.dtype(np.uint8))
        return np.flatnonzero(is_deleted[0])

    def _record(self, newest: int = 0, channels: int = 0) -> None:
        """Let warps find their most likely hypotheses, and record evidence if asked."""
        self._stream.launch(
            "record",
            self._blocks.count,
            UPDATE_THREADS,
            self._address,
            self._table.address,
            newest,
            channels,
            self._added_at,
        )

    def _send(self, **more: npt.ArrayLike) -> Mapping[str, int]:
        """Send all that the step needs, and return the addresses."""
        rooms, work, table = self._rooms, self._work, self._table
        segments = self._segments
        self._score_blocks = rooms.divide("nodes", self._matches.scored_nodes)
        self._blocks = rooms.divide(
            f"hypotheses of {id(table)}", self._most_rows, exactly=False
        )
        self._starts = table.starts[segments]
        self._sides = table.sides[segments]
        if table.window_size:
            self._newest = (table.newest[segments] + 1) % table.window_size
            more["newest"] = self._newest
            more["window_channels"] = table.window_channels.take(segments, axis=0)
        # Parcels of their own, because each is laid out in its own way.
        what, moves = "work", self._moves
        if moves:
            what = "work and moves"
            each = [moves.get(segment, ()) for segment in segments.tolist()]
            more.update(arrays_of(each))
        settled = rooms.send_once(
            "settings",
            _SETTLED,
            _settled_of(work),
            lambda: {"weight_sums": _weight_sums(work)},
        )
        arrays = dict(
            zip(_SENT, _sent_of(work), strict=True),
            row_starts=self._starts,
            row_counts=self._before,
            sides=self._sides,
            failed=_NOT_FAILED,
            **more,
        )
        sizes = work.score_count, len(segments), len(work.match_graphs)
        key = settled, self._blocks, self._matches.channels, sizes
        elsewhere = rooms.made(what, key, lambda: self._elsewhere(settled))
        self._sent = rooms.send(what, arrays, (WORK, elsewhere))
        self._results_at = elsewhere["results"]
        self._address = self._sent[WORK.name]
        return self._sent

    def _elsewhere(self, settled: Mapping[str, int]) -> dict[str, Any]:
        """Return what else a work's structure holds, with room for what is computed."""
        rooms, work, real = self._rooms, self._work, self._stream.real
        blocks, channels = max(1, self._blocks.count), self._matches.channels
        segments, matches = len(self._segments), len(work.match_graphs)
        return dict(
            settled,
            scores=rooms.room("scores", max(1, work.score_count) * real.itemsize),
            found=rooms.room("found", blocks * UPDATE_WARPS * FOUND_BYTES),
            least=rooms.room("least", blocks * channels * real.itemsize),
            channels=channels,
            block_starts=self._blocks.starts,
            block_owners=self._blocks.owners,
            block_firsts=self._blocks.firsts,
            results=rooms.room("results", segments * RESULT.itemsize),
            fuse_rotations=int(self._fused),
            fuse_products=int(numpy_fuses_matrix_products()),
            segments=rooms.room("segments", segments * SEGMENT_BYTES),
            match_channels=rooms.room("channels", matches * CHANNEL_BYTES),
            **({} if self._moves else {"move_spans": 0, "moves": 0}),
        )

    def _about(self) -> str:
        keys = [self._table.keys[segment] for segment in self._segments]
        lms = list(dict.fromkeys(key.learning_module for key in keys))
        graphs = list(dict.fromkeys(key.graph for key in keys))
        return f"learning modules {_some(lms)}, graphs {_some(graphs)}"


def _weight_sums(work: KernelWork) -> npt.NDArray[np.float64]:
    """Return the sum of the feature weights of each query; 0.0 without features."""
    columns = len(work.weights) // max(1, len(work.increments))
    # Nearly always all have the same columns, and numpy adds along rows by itself.
    evenly = range(0, len(work.weights) + 1, columns or 1)
    if columns and work.column_starts.tolist() == [*evenly]:
        return work.weights.reshape(-1, columns).sum(axis=1)
    each = np.split(work.weights, work.column_starts[1:-1])
    return np.array([sum_as_numpy_does([*one]) if len(one) else 0.0 for one in each])


def _some(names: Sequence[str], most: int = 8) -> str:
    text = ", ".join(names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most} more"
