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
from typing import Any, Mapping, NoReturn, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.constants import (
    COMBINE_THREADS,
    SEGMENT_THREADS,
    SIDES,
    UPDATE_THREADS,
    UPDATE_WARPS,
)
from tbp.monty.backends.device.graphs import DeviceGraphs
from tbp.monty.backends.device.hypotheses import DeviceHypothesisTable
from tbp.monty.backends.device.layout import (
    CHANNEL_BYTES,
    FOUND_BYTES,
    RESULT,
    SEGMENT_BYTES,
    WORK,
)
from tbp.monty.backends.device.rooms import Rooms
from tbp.monty.backends.device.sampling import DeviceSamples, Sorter
from tbp.monty.backends.device.settled import SETTLED, settled_of
from tbp.monty.backends.device.stream import fetched
from tbp.monty.backends.numpy.rounding import numpy_fuses_matrix_products
from tbp.monty.backends.numpy.slopes import MIN_AGE
from tbp.monty.backends.tables.engine import NewHypotheses
from tbp.monty.backends.tables.flags import any_of
from tbp.monty.backends.tables.kernel_work import (
    KernelWork,
    UpdateResult,
    raise_unusable,
)

__all__ = ["DeviceStep"]

_SENT = [
    name
    for name in KernelWork._fields
    if name in {*WORK.names} - {*SETTLED, "segments"}
]
"""What else kernels take of a work without a change."""

_sent_of = operator.attrgetter(*_SENT)

_UPDATED = SIDES["evidence"] | SIDES["locations"]
_RECORDED = _UPDATED | SIDES["slopes"]
"""Which columns a step writes to their other side, without and with a window."""

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
        sorter: Sorter,
        *,
        fused: bool,
    ) -> None:
        self._rooms = rooms
        self._stream = rooms.stream
        self.table = table
        self._graphs = graphs
        self._sorter = sorter
        self._fused = fused
        self._work = work
        self._segments = work.segments
        self._new = new
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
        self._deleted_at = self._rooms.room("deleted", self.table.capacity)
        self._stream.launch(
            "delete_declining",
            len(self._segments),
            SEGMENT_THREADS,
            self._address,
            self.table.address,
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
        blocks, hypotheses = self._blocks.count, self.table.address
        stream.launch(
            "score_nodes",
            record_blocks + self._score_blocks.count,
            UPDATE_THREADS,
            self._graphs.address,
            work,
            self._score_blocks.owners,
            self._score_blocks.firsts,
            segments,
            matches,
        )
        stream.launch("update", blocks, UPDATE_THREADS, work, hypotheses)
        stream.launch("combine", len(self._segments), COMBINE_THREADS, work, hypotheses)
        self._are_found = not any_of(self._work.thresholds > -np.inf)
        if not self._are_found:
            stream.launch("settle_untested", blocks, UPDATE_THREADS, work, hypotheses)

    def mean_evidence(self, position: int) -> float:
        segment = int(self._segments[position])
        written = int(self._to_sides[position])
        return float(np.mean(self.table.read(segment, "evidence", written)))

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
            self.table.address,
            samples.address,
            int(self.table.window_size > 0),
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
            self.table.address,
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
        table, segments = self.table, self._segments
        is_unusable = results["unusable"] >= 0
        if any_of(is_unusable):
            position = int(np.argmax(is_unusable))
            place = int(results["unusable"][position])
            self._raise_unusable(position, place, int(results["count"][position]))
        table.counts[segments] = results["count"]
        table.sides[segments] = results["sides"]
        if self._is_recorded:
            table.newest[segments] = self._newest
            table.window_channels[segments, self._newest] = self._matches.channel_counts
            table.steepest[segments] = results["highest_slope"]
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
        flags = fetched(self._stream, address, (1, count), np.dtype(np.uint8))
        return np.flatnonzero(flags[0])

    def _raise_unusable(self, position: int, place: int, count: int) -> NoReturn:
        """Say which hypothesis stopped the step; `count` were left of its segment."""
        segment, former = int(self._segments[position]), place
        if count != self._before[position]:
            is_kept = np.ones(int(self._before[position]), dtype=np.bool_)
            is_kept[self.deleted(position)] = False
            former = int(np.flatnonzero(is_kept)[place])
        row = self.table.hypothesis(segment, former)
        raise_unusable(self.table.owner_of(segment), place, count, row)

    def _record(self, newest: int = 0, channels: int = 0) -> None:
        """Let warps find their most likely hypotheses, and record evidence if asked."""
        self._stream.launch(
            "record",
            self._blocks.count,
            UPDATE_THREADS,
            self._address,
            self.table.address,
            newest,
            channels,
            self._added_at,
        )

    def _send(self, **more: npt.ArrayLike) -> Mapping[str, int]:
        """Send all that the step needs, and return the addresses."""
        rooms, work, table = self._rooms, self._work, self.table
        segments = self._segments
        self._score_blocks = rooms.divide("nodes", self._matches.scored_nodes)
        self._blocks = rooms.divide("hypotheses", self._most_rows, exactly=False)
        self._starts = table.starts[segments]
        self._sides = table.sides[segments]
        self._to_sides = self._sides ^ (_RECORDED if table.window_size else _UPDATED)
        if table.window_size:
            self._newest = (table.newest[segments] + 1) % table.slots
            more["newest"] = self._newest
            more["window_channels"] = table.window_channels.take(segments, axis=0)
        settled = rooms.send_once("settings", work.revision, lambda: settled_of(work))
        arrays = dict(
            zip(_SENT, _sent_of(work), strict=True),
            row_starts=self._starts,
            row_counts=self._before,
            sides=self._sides,
            to_sides=self._to_sides,
            failed=_NOT_FAILED,
            **more,
        )
        sizes = work.score_count, len(segments), len(work.match_graphs)
        key = settled, self._blocks, self._matches.channels, sizes
        elsewhere = rooms.made("work", key, lambda: self._elsewhere(settled))
        self._sent = rooms.send("work", arrays, (WORK, elsewhere))
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
        )

    def _about(self) -> str:
        keys = [self.table.keys[segment] for segment in self._segments]
        lms = list(dict.fromkeys(key.learning_module for key in keys))
        graphs = list(dict.fromkeys(key.graph for key in keys))
        return f"learning modules {_some(lms)}, graphs {_some(graphs)}"


def _some(names: Sequence[str], most: int = 8) -> str:
    text = ", ".join(names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most} more"
