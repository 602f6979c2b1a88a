# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""New hypotheses on a device: what is sent of them, and which nodes they are at."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.constants import UPDATE_THREADS
from tbp.monty.backends.device.graphs import DeviceGraphs
from tbp.monty.backends.device.layout import SAMPLES
from tbp.monty.backends.device.rooms import Blocks, Rooms
from tbp.monty.backends.device.stream import fetched
from tbp.monty.backends.numpy.new_hypotheses import best_nodes
from tbp.monty.backends.tables.blocks import owners_and_firsts
from tbp.monty.backends.tables.engine import NewHypotheses
from tbp.monty.backends.tables.flags import any_of
from tbp.monty.backends.tables.kernel_work import KernelWork

__all__ = ["DeviceSamples", "Sorter"]

_SORTERS = 8
"""Threads that sort scores: numpy releases the GIL while it sorts."""

_FEW_SCORES = 50_000
"""Fewer are sorted faster by one thread."""


class Sorter:
    """Sorts scores, many of them with threads."""

    def __init__(self) -> None:
        self._sorters: ThreadPoolExecutor | None = None

    def close(self) -> None:
        if self._sorters is not None:
            self._sorters.shutdown()
            self._sorters = None

    def best(
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


class DeviceSamples:
    """The new hypotheses of a step, on a device.

    Attributes:
        blocks: Their division into blocks.
    """

    def __init__(
        self,
        rooms: Rooms,
        graphs: DeviceGraphs,
        work: KernelWork,
        new: NewHypotheses,
        added: npt.NDArray[np.int64],
    ) -> None:
        """Send them.

        Args:
            rooms: Where to.
            graphs: The graphs at whose nodes they are.
            work: What is updated on that step.
            new: The hypotheses.
            added: How many of them each segment of the work gets.
        """
        self._rooms = rooms
        self._stream = rooms.stream
        self._graphs = graphs
        self._work = work
        self._new = new
        self._score_starts = work.score_starts[new.matches]
        self._nodes = self._room_for_nodes()
        sizes = new.sizes
        self.blocks = rooms.divide("samples", sizes, exactly=False)
        self._sent = self._send(sizes, added)

    @property
    def address(self) -> int:
        """Where the structure that describes them is."""
        return self._sent[SAMPLES.name]

    @property
    def added(self) -> int:
        """Where it is said how many of them each segment gets."""
        return self._sent["added"]

    def choose_nodes(
        self, work: int, score_blocks: Blocks, sorter: Sorter, about: Callable[[], str]
    ) -> None:
        """Choose the nodes of those that do not take all.

        The device cannot tell how numpy orders equal scores. Where that matters, it
        says so, and numpy sorts them.

        Args:
            work: The address of the work.
            score_blocks: The nodes with scores in blocks.
            sorter: What sorts.
            about: Says what is waited for.
        """
        new = self._new
        if not any_of(new.are_best):
            return
        self._stream.launch(
            "choose_nodes",
            score_blocks.count,
            UPDATE_THREADS,
            self._graphs.address,
            work,
            self.address,
            score_blocks.owners,
            score_blocks.firsts,
        )
        (are_tied,) = fetched(
            self._stream,
            self._sent["are_tied"],
            (1, len(new)),
            np.dtype(np.int64),
            about=about,
        )
        # Without scores, all nodes are equal.
        lacks_scores = (self._score_starts < 0) & new.are_best
        (tied,) = (are_tied | lacks_scores).nonzero()
        if not len(tied):
            return
        bests = new.node_counts[tied]
        scores = self._scores_of(new.matches[tied], about)
        chosen = sorter.best(scores, bests.tolist())
        sent = self._rooms.send("sorted nodes", {"nodes": np.concatenate(chosen)})
        nodes = self._nodes.copy()
        nodes[tied] = sent["nodes"] + 8 * (bests.cumsum() - bests)
        self._stream.send(self._sent["nodes"], nodes.tobytes())

    def _room_for_nodes(self) -> npt.NDArray[np.int64]:
        """Return the address of each one's nodes; zero for those that take all."""
        are_best = self._new.are_best
        counts = np.where(are_best, self._new.node_counts, 0)
        ends = counts.cumsum()
        address = self._rooms.room("chosen nodes", 8 * int(ends[-1]))
        return np.where(are_best, address + 8 * (ends - counts), 0)

    def _send(
        self, sizes: npt.NDArray[np.int64], added: npt.NDArray[np.int64]
    ) -> Mapping[str, int]:
        """Return where the structure that describes them and its parts are."""
        new, work = self._new, self._work
        starts = sizes.cumsum() - sizes
        first_of_segment = np.searchsorted(new.positions, new.positions)
        match_samples = np.full(len(work.match_graphs), -1)
        match_samples[new.matches] = np.arange(len(new))
        arrays: dict[str, npt.ArrayLike] = dict(
            added=added,
            positions=new.positions,
            row_offsets=starts - starts[first_of_segment],
            graphs=work.match_graphs[new.matches],
            match_samples=match_samples,
            score_starts=self._score_starts,
            nodes=self._nodes,
            are_tied=np.zeros(len(new), dtype=np.int64),
            node_counts=new.node_counts,
            pose_starts=new.pose_starts,
            pose_counts=new.pose_counts,
            is_aligned=new.are_aligned,
            head_starts=new.head_starts,
            poses=new.poses,
        )
        elsewhere = dict(
            block_owners=self.blocks.owners, block_firsts=self.blocks.firsts
        )
        return self._rooms.send("samples", arrays, (SAMPLES, elsewhere))

    def _scores_of(
        self, matches: npt.NDArray[np.int64], about: Callable[[], str]
    ) -> list[npt.NDArray]:
        """Wait, and return the scores of the nodes of each; they come in one piece."""
        starts = self._work.score_starts[matches]
        node_counts = self._graphs.table.node_counts[self._work.match_graphs[matches]]
        counts = np.where(starts < 0, 0, node_counts)
        owners, firsts = owners_and_firsts(counts, UPDATE_THREADS)
        ends = np.cumsum(counts)
        stretches = dict(
            owners=owners,
            firsts=firsts,
            to_starts=ends - counts,
            from_starts=starts,
            counts=counts,
        )
        sent = self._rooms.send("scores to fetch", stretches)
        real = self._stream.real
        nbytes = int(ends[-1]) * real.itemsize
        fetched_from = self._rooms.room("fetched scores", nbytes)
        self._stream.launch(
            f"copy_rows_{real.itemsize}",
            len(owners),
            UPDATE_THREADS,
            fetched_from,
            self._rooms.room("scores", self._work.score_count * real.itemsize),
            *(0, 0, 1),  # one column
            *(sent[name] for name in stretches),
        )
        shape = (1, int(ends[-1]))
        (found,) = fetched(self._stream, fetched_from, shape, real, about=about)
        scores = found.astype(np.float64, copy=False)
        each = zip(*(one.tolist() for one in (starts, node_counts, ends)), strict=True)
        return [
            scores[end - count : end] if start >= 0 else np.zeros(count)
            for start, count, end in each
        ]
