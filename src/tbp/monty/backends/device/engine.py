# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs steps on a device: one launch a stage for all segments of a work."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.graphs import DeviceGraphs
from tbp.monty.backends.device.hypotheses import DeviceHypothesisTable
from tbp.monty.backends.device.layout import (
    CHANNEL_BYTES,
    COMBINE_THREADS,
    FOUND_BYTES,
    RESULT,
    SAMPLES,
    SEGMENT_BYTES,
    SEGMENT_THREADS,
    UPDATE_THREADS,
    UPDATE_WARPS,
    WORK,
)
from tbp.monty.backends.device.parcel import Described, send_together
from tbp.monty.backends.device.stream import Memory, Stream
from tbp.monty.backends.device.voting import add_votes, likely_rows
from tbp.monty.backends.numpy.new_hypotheses import best_nodes
from tbp.monty.backends.numpy.rounding import (
    numpy_fuses_dots,
    numpy_fuses_matrix_products,
    sum_as_numpy_does,
)
from tbp.monty.backends.numpy.slopes import MIN_AGE
from tbp.monty.backends.numpy.votes import VotesForGraph
from tbp.monty.backends.tables.blocks import owners_and_firsts, starts_of
from tbp.monty.backends.tables.displacing import Moves
from tbp.monty.backends.tables.engine import NewHypotheses
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.held import Held, name_of
from tbp.monty.backends.tables.kernel_work import (
    KernelWork,
    UpdateResult,
    raise_unusable,
)
from tbp.monty.backends.tables.likely_rows import LikelyRows

__all__ = ["DeviceEngine", "DeviceStep"]

_SORTERS = 8
"""Threads that sort scores. numpy sorts without holding others up."""

_FEW_SCORES = 50_000
"""So many are sorted faster than threads are handed work."""

_AS_IT_IS = [one for one in KernelWork._fields if one in {*WORK.names} - {"segments"}]
"""What kernels take of a work without a change."""


@dataclass(frozen=True)
class _Blocks:
    """Rows of owners in blocks, on a device.

    Attributes:
        count: How many blocks there are.
        starts: The address of where each owner's blocks start.
        owners: The address of each block's owner.
        firsts: The address of each block's first row.
    """

    count: int
    starts: int
    owners: int
    firsts: int


class DeviceEngine:
    """Makes tables on a device, and runs steps on them in one stream."""

    def __init__(self, stream: Stream, fused: bool | None = None) -> None:
        """Use a stream.

        Args:
            stream: What does the work.
            fused: How rotations are rounded. Defaults to how numpy does it here.
        """
        self.stream = stream
        self.fused = numpy_fuses_dots() if fused is None else fused
        self._tables: list[DeviceHypothesisTable] = []
        self._graphs: DeviceGraphs | None = None
        self._rooms: dict[str, Memory] = {}
        self._divided: dict[str, tuple[bytes, _Blocks]] = {}
        self._sorters: ThreadPoolExecutor | None = None

    def make_table(self, window_size: int) -> DeviceHypothesisTable:
        table = DeviceHypothesisTable(self.stream, window_size)
        self._tables.append(table)
        return table

    def displace(self, table: DeviceHypothesisTable, moves: Moves) -> None:
        segments = np.array([*moves], dtype=np.int64)
        counts = table.counts[segments]
        owners, firsts = owners_and_firsts(counts, UPDATE_THREADS)
        arrays = dict(
            owners=owners,
            firsts=firsts,
            row_starts=table.starts[segments],
            row_counts=counts,
            sides=table.sides[segments],
            move_starts=starts_of([len(one) for one in moves.values()]),
            displacements=np.concatenate(
                [move for of_segment in moves.values() for move in of_segment],
                dtype=np.float64,
            ),
        )
        sent = self.send("moves", arrays)
        self.stream.launch(
            "displace",
            len(owners),
            UPDATE_THREADS,
            table.address,
            *(sent[name] for name in arrays),
            int(self.fused),
        )
        table.forget_most_likely(moves)

    def add_votes(
        self, table: DeviceHypothesisTable, votes: Mapping[int, VotesForGraph]
    ) -> Sequence[float]:
        return add_votes(self, table, votes)

    def likely_rows(
        self, table: DeviceHypothesisTable, segments: Sequence[int], threshold: float
    ) -> LikelyRows:
        return likely_rows(self, table, segments, threshold)

    def begin(
        self,
        table: DeviceHypothesisTable,
        graphs: GraphTable,
        work: KernelWork,
        new: Sequence[NewHypotheses] = (),
    ) -> DeviceStep:
        return DeviceStep(self, table, graphs, work, new)

    def close(self) -> None:
        """Free everything on the device, and close the stream."""
        for table in self._tables:
            table.free()
        self._graphs = None
        self._rooms.clear()
        self._divided.clear()
        if self._sorters is not None:
            self._sorters.shutdown()
            self._sorters = None
        self.stream.close()

    @property
    def layout(self) -> tuple[int, ...]:
        kept = sum(memory.nbytes for memory in self._rooms.values())
        return kept, self.stream.pooled()

    def held(self) -> Iterator[Held]:
        where = self.stream.where
        if self._graphs is not None:
            yield from self._graphs.held()
        for what, memory in self._rooms.items():
            reason = f"{what}, kept for the next step"
            yield Held(where, "pool", memory.nbytes, name_of(self.room), reason)
        pooled, made_by = self.stream.pooled(), name_of(self.stream.allocate)
        if pooled:
            reason = "freed, and kept for the next allocation"
            yield Held(where, "pool", pooled, made_by, reason)

    def graphs_on_device(self, table: GraphTable) -> DeviceGraphs:
        if self._graphs is None or self._graphs.table is not table:
            self._graphs = None  # freed before there are others
            self._graphs = self.make_graphs(table)
        return self._graphs

    def make_graphs(self, table: GraphTable) -> DeviceGraphs:
        return DeviceGraphs(self.stream, table)

    def room(self, what: str, nbytes: int) -> int:
        """Return the address of memory that is kept for a purpose."""
        memory = self._rooms.get(what)
        if memory is None or memory.nbytes < nbytes:
            self._rooms.pop(what, None)
            nbytes = max(256, nbytes + nbytes // 4)
            memory = self._rooms[what] = self.stream.allocate(nbytes, what)
        return memory.address

    def send(
        self,
        what: str,
        arrays: Mapping[str, npt.ArrayLike],
        described: Described | None = None,
    ) -> Mapping[str, int]:
        """Send arrays to memory that is kept for a purpose; return the addresses."""
        sent, self._rooms[what] = send_together(
            self.stream, arrays, self._rooms.get(what), described
        )
        return sent

    def divide(self, what: str, counts: npt.NDArray[np.int64]) -> _Blocks:
        """Divide the rows of owners into blocks, unless they are divided so already."""
        block_counts = -(-counts // UPDATE_THREADS)
        # Compared as bytes, which is faster; it is done on every step.
        key = block_counts.tobytes()
        known = self._divided.get(what)
        if known is not None and known[0] == key:
            return known[1]
        starts = starts_of(block_counts)
        total = int(starts[-1])
        sent = self.send(f"the starts of {what}", {"starts": starts})
        blocks = _Blocks(
            count=total,
            starts=sent["starts"],
            owners=self.room(f"the owners of {what}", 8 * max(1, total)),
            firsts=self.room(f"the first rows of {what}", 8 * max(1, total)),
        )
        self.stream.launch(
            "divide",
            len(counts),
            COMBINE_THREADS,
            blocks.starts,
            blocks.owners,
            blocks.firsts,
        )
        self._divided[what] = (key, blocks)
        return blocks

    def sorted_best(
        self, scores: Sequence[npt.NDArray], counts: Sequence[int]
    ) -> list[npt.NDArray[np.int64]]:
        """Return the best nodes by each of some scores."""
        if sum(map(len, scores)) < _FEW_SCORES:
            return list(map(best_nodes, scores, counts))
        if self._sorters is None:
            self._sorters = ThreadPoolExecutor(_SORTERS, "sort")

        def sort_share(i: int) -> list[npt.NDArray[np.int64]]:
            return list(map(best_nodes, scores[i::_SORTERS], counts[i::_SORTERS]))

        # A share each: to hand over a single sort takes longer than the sort.
        shares = list(self._sorters.map(sort_share, range(_SORTERS)))
        return [shares[i % _SORTERS][i // _SORTERS] for i in range(len(scores))]


class DeviceStep:
    """A step of an engine; see `Step`."""

    def __init__(
        self,
        engine: DeviceEngine,
        table: DeviceHypothesisTable,
        graphs: GraphTable,
        work: KernelWork,
        new: Sequence[NewHypotheses],
    ) -> None:
        self._engine = engine
        self._stream = engine.stream
        self._table = table
        self._graph_table = graphs
        self._work = work
        self._segments = work.segments
        added = [0] * len(work.segments)
        for one in new:
            added[one.position] += len(one)
        self._added = np.array(added, dtype=np.int64)
        before = table.counts[self._segments]
        self._most = before + self._added
        if new:
            grown = np.flatnonzero(self._added)
            segments, sizes = self._segments[grown], self._most[grown]
            table.reserve(dict(zip(segments.tolist(), sizes.tolist(), strict=True)))
        self._graphs = engine.graphs_on_device(graphs)
        self._before = before
        self._channel_counts = work.match_starts[1:] - work.match_starts[:-1]
        self._window = self._next_window()
        self._sent: Mapping[str, int] = {}
        self._is_recorded = False
        self._is_appended = False
        self._results: npt.NDArray[np.uint8] | None = None

    def delete_declining(self, least_slopes: npt.NDArray[np.float64]) -> None:
        starts = np.cumsum(self._before) - self._before
        sent = self._send(least_slopes=least_slopes, deleted_starts=starts)
        self._deleted_at = self._engine.room("deleted", int(self._before.sum()))
        self._deleted_starts = starts
        self._stream.launch(
            "delete_declining",
            len(self._segments),
            SEGMENT_THREADS,
            self._address,
            self._table.address,
            sent["least_slopes"],
            MIN_AGE,
            self._deleted_at,
            sent["deleted_starts"],
        )

    def update(self) -> None:
        if not self._sent:
            self._send()
        stream, work = self._stream, self._address
        segments, matches = len(self._segments), len(self._work.match_graphs)
        record_blocks = -(-max(segments, matches) // UPDATE_THREADS)
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
        blocks = self._blocks.count
        hypotheses = self._table.address
        stream.launch("update", blocks, UPDATE_THREADS, work, hypotheses)
        stream.launch("combine", len(self._segments), COMBINE_THREADS, work, hypotheses)
        if (self._work.thresholds > -np.inf).any():
            stream.launch("settle_untested", blocks, UPDATE_THREADS, work, hypotheses)
            self._find_most_likely()

    def mean_evidence(self, position: int) -> float:
        segment = int(self._segments[position])
        # What was just written is on the other side.
        self._table.sides[segment] ^= 1
        try:
            return float(np.mean(self._table.read(segment, "evidence")))
        finally:
            self._table.sides[segment] ^= 1

    def append(self, new: Sequence[NewHypotheses]) -> None:
        new = [one for one in new if len(one)]
        if not new:
            return
        nodes = self._room_for_nodes(new)
        sizes = np.array([len(one) for one in new], dtype=np.int64)
        blocks = self._engine.divide("samples", sizes)
        samples = self._send_samples(new, nodes, blocks)
        if nodes.any():
            self._choose_nodes(new, nodes, samples)
        self._stream.launch(
            "append_samples",
            blocks.count,
            UPDATE_THREADS,
            self._graphs.address,
            self._address,
            self._table.address,
            samples[SAMPLES.name],
            int(self._table.window_size > 0),
        )
        self._stream.launch(
            "count_appended",
            -(-len(self._segments) // UPDATE_THREADS),
            UPDATE_THREADS,
            self._address,
            self._added_at,
            len(self._segments),
        )
        self._is_appended = True

    def record(self) -> None:
        self._find_most_likely(self._sent["newest"], self._sent["window_channels"])
        self._is_recorded = True
        self._is_appended = False

    def fetch(self) -> None:
        if self._is_appended:
            self._find_most_likely()
            self._is_appended = False
        nbytes = len(self._segments) * RESULT.itemsize
        self._results = self._stream.fetch(self._results_at, nbytes)

    def finish(self) -> UpdateResult:
        if self._results is None:
            self.fetch()
        self._stream.wait(self._about)
        assert self._results is not None
        # A copy: the memory it came in is used again. Of bytes, as numpy copies
        # structures field by field.
        results = self._results.copy().view(RESULT)
        table, segments = self._table, self._segments
        unusable = results["unusable"] >= 0
        changed = table.counts[segments] != results["count"]
        if changed.any():
            table.counts[segments] = results["count"]
            table.forget_results(segments[changed].tolist())
        if unusable.any():
            position = int(np.argmax(unusable))
            raise_unusable(
                table, int(segments[position]), int(results["unusable"][position])
            )
        table.sides[segments] ^= 1
        if self._is_recorded:
            table.newest[segments] = self._window["newest"]
            table.window_channels[segments] = self._window["window_channels"]
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
        address = self._deleted_at + int(self._deleted_starts[position])
        is_deleted = self._stream.read(address, count, (1, count), np.dtype(np.uint8))
        return np.flatnonzero(is_deleted[0])

    def _find_most_likely(self, newest: int = 0, channels: int = 0) -> None:
        self._stream.launch(
            "record",
            self._blocks.count,
            UPDATE_THREADS,
            self._address,
            self._table.address,
            newest,
            channels,
        )
        self._stream.launch(
            "find_most_likely",
            len(self._segments),
            COMBINE_THREADS,
            self._address,
            self._table.address,
        )

    def _next_window(self) -> dict[str, npt.NDArray]:
        """Return the window's slot of this step, and the channels behind each slot."""
        table, segments = self._table, self._segments
        if not table.window_size:
            return {}
        newest = (table.newest[segments] + 1) % table.window_size
        channels = table.window_channels[segments]
        channels[np.arange(len(segments)), newest] = self._channel_counts
        return dict(newest=newest, window_channels=channels)

    def _send(self, **more: npt.NDArray) -> Mapping[str, int]:
        """Send all that the step needs, and return the addresses."""
        engine, work, real = self._engine, self._work, self._stream.real
        self._score_blocks = engine.divide(
            "nodes",
            np.where(
                work.score_starts >= 0,
                self._graph_table.node_counts[work.match_graphs],
                0,
            ),
        )
        self._blocks = engine.divide(f"hypotheses of {id(self._table)}", self._most)
        block_count = self._blocks.count
        channels = int(self._channel_counts.max(initial=1))
        self._results_at = engine.room("results", len(self._segments) * RESULT.itemsize)
        arrays = dict(
            {name: getattr(work, name) for name in _AS_IT_IS},
            row_starts=self._table.starts[self._segments],
            row_counts=self._before,
            sides=self._table.sides[self._segments],
            plane_factors=1.0 / (np.abs(work.curvatures) + 0.5),
            weight_sums=_weight_sums(work),
            added=self._added,
            failed=np.zeros(1, dtype=np.int64),
            **self._window,
            **more,
        )
        elsewhere = dict(
            scores=engine.room("scores", max(1, work.score_count) * real.itemsize),
            found=engine.room(
                "found", max(1, block_count) * UPDATE_WARPS * FOUND_BYTES
            ),
            least=engine.room("least", max(1, block_count) * channels * real.itemsize),
            channels=channels,
            block_starts=self._blocks.starts,
            block_owners=self._blocks.owners,
            block_firsts=self._blocks.firsts,
            results=self._results_at,
            fuse_rotations=int(engine.fused),
            fuse_products=int(numpy_fuses_matrix_products()),
            segments=engine.room("segments", len(self._segments) * SEGMENT_BYTES),
            match_channels=engine.room(
                "channels", len(work.match_graphs) * CHANNEL_BYTES
            ),
        )
        self._sent = engine.send("work", arrays, (WORK, elsewhere))
        self._address, self._added_at = self._sent[WORK.name], self._sent["added"]
        return self._sent

    def _room_for_nodes(self, new: Sequence[NewHypotheses]) -> npt.NDArray[np.int64]:
        """Return the address of each one's nodes; zero for those that take all."""
        counts = np.array([one.best or 0 for one in new], dtype=np.int64)
        starts = starts_of(counts)
        address = self._engine.room("chosen nodes", 8 * int(starts[-1]))
        return np.where(counts > 0, address + 8 * starts[:-1], 0)

    def _send_samples(
        self,
        new: Sequence[NewHypotheses],
        nodes: npt.NDArray[np.int64],
        blocks: _Blocks,
    ) -> Mapping[str, int]:
        """Return the addresses of the structure that describes them, and of its parts.

        Args:
            new: The hypotheses.
            nodes: From `_room_for_nodes`.
            blocks: The hypotheses in blocks.
        """
        frames: dict[int, int] = {}
        poses, pose_starts, pose_end = [], [], 0
        for one in new:
            part = one.poses
            # Graphs of a learning module share what is sensed.
            if id(part) not in frames:
                frames[id(part)] = pose_end
                poses.append(np.asarray(part, dtype=np.float64).reshape(-1, 9))
                pose_end += len(part)
            pose_starts.append(frames[id(part)])
        offsets: list[int] = []
        taken: dict[int, int] = {}
        for one in new:
            offsets.append(taken.get(one.position, 0))
            taken[one.position] = offsets[-1] + len(one)
        match_samples = np.full(len(self._work.match_graphs), -1)
        match_samples[[one.match for one in new]] = np.arange(len(new))
        arrays: dict[str, npt.ArrayLike] = dict(
            positions=[one.position for one in new],
            row_offsets=offsets,
            graphs=[one.graph for one in new],
            match_samples=match_samples,
            score_starts=self._score_starts(new),
            nodes=nodes,
            are_tied=np.zeros(len(new), dtype=np.int64),
            node_counts=[
                one.node_count if one.best is None else one.best for one in new
            ],
            pose_starts=pose_starts,
            pose_counts=[len(one.poses) for one in new],
            is_aligned=[one.is_aligned for one in new],
            head_starts=np.array([one.head_start for one in new], dtype=np.float64),
            poses=np.concatenate(poses),
        )
        elsewhere = dict(block_owners=blocks.owners, block_firsts=blocks.firsts)
        return self._engine.send("samples", arrays, (SAMPLES, elsewhere))

    def _choose_nodes(
        self,
        new: Sequence[NewHypotheses],
        nodes: npt.NDArray[np.int64],
        samples: Mapping[str, int],
    ) -> None:
        """Choose the nodes of those that do not take all.

        The device cannot tell how numpy orders equal scores. Where that matters, it
        says so, and numpy sorts them.

        Args:
            new: The hypotheses.
            nodes: From `_room_for_nodes`.
            samples: From `_send_samples`.
        """
        self._stream.launch(
            "choose_nodes",
            self._score_blocks.count,
            UPDATE_THREADS,
            self._graphs.address,
            self._address,
            samples[SAMPLES.name],
            self._score_blocks.owners,
            self._score_blocks.firsts,
        )
        fetched = self._stream.fetch(samples["are_tied"], 8 * len(new))
        self._stream.wait(self._about)
        # Without scores, all nodes are equal.
        lacks_scores = (self._score_starts(new) < 0) & (nodes != 0)
        is_tied = (fetched.view(np.int64) != 0) | lacks_scores
        if not is_tied.any():
            return
        tied = list(itertools.compress(new, is_tied))
        bests = [one.best for one in tied if one.best is not None]
        chosen = self._engine.sorted_best(self._scores_of(tied), bests)
        sent = self._engine.send("sorted nodes", {"nodes": np.concatenate(chosen)})
        nodes = nodes.copy()
        nodes[is_tied] = sent["nodes"] + 8 * starts_of(bests)[:-1]
        self._stream.write(samples["nodes"], nodes.nbytes, nodes[np.newaxis])

    def _scores_of(self, new: Sequence[NewHypotheses]) -> list[npt.NDArray]:
        """Wait, and return the scores of the nodes of each; they come in one piece."""
        starts = self._score_starts(new)
        counts = np.array([one.node_count for one in new], dtype=np.int64)
        counts[starts < 0] = 0
        owners, firsts = owners_and_firsts(counts, UPDATE_THREADS)
        ends = np.cumsum(counts)
        stretches = dict(
            owners=owners,
            firsts=firsts,
            to_starts=ends - counts,
            from_starts=starts,
            counts=counts,
        )
        sent = self._engine.send("scores to fetch", stretches)
        real = self._stream.real
        nbytes = int(ends[-1]) * real.itemsize
        fetched_from = self._engine.room("fetched scores", nbytes)
        self._stream.launch(
            f"copy_rows_{real.itemsize}",
            len(owners),
            UPDATE_THREADS,
            fetched_from,
            self._engine.room("scores", self._work.score_count * real.itemsize),
            *(0, 0, 1),  # one column
            *(sent[name] for name in stretches),
        )
        fetched = self._stream.fetch(fetched_from, nbytes)
        self._stream.wait(self._about)
        values = np.split(fetched.view(real).astype(np.float64), ends[:-1])
        return [
            scores if start >= 0 else np.zeros(one.node_count)
            for one, start, scores in zip(new, starts, values, strict=True)
        ]

    def _score_starts(self, new: Sequence[NewHypotheses]) -> npt.NDArray[np.int64]:
        return self._work.score_starts[[one.match for one in new]]

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
