# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Makes tables on a device, and runs steps on them."""

from __future__ import annotations

from typing import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.constants import UPDATE_THREADS
from tbp.monty.backends.device.counting import CountingStream
from tbp.monty.backends.device.graphs import DeviceGraphs
from tbp.monty.backends.device.hypotheses import DeviceHypothesisTable
from tbp.monty.backends.device.rooms import Rooms
from tbp.monty.backends.device.sampling import Sorter
from tbp.monty.backends.device.step import DeviceStep
from tbp.monty.backends.device.stream import Stream
from tbp.monty.backends.device.voting import add_votes, likely_rows
from tbp.monty.backends.numpy.rounding import numpy_fuses_dots
from tbp.monty.backends.numpy.votes import VotesForGraph
from tbp.monty.backends.tables.blocks import owners_and_firsts
from tbp.monty.backends.tables.engine import NO_HYPOTHESES, NewHypotheses
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.held import Held, name_of
from tbp.monty.backends.tables.kernel_work import KernelWork
from tbp.monty.backends.tables.likely_rows import LikelyRows

__all__ = ["DeviceEngine"]


class DeviceEngine:
    """Makes tables on a device, and runs steps on them in one stream."""

    step_class = DeviceStep
    table_class = DeviceHypothesisTable

    def __init__(self, stream: Stream, fused: bool | None = None) -> None:
        """Use a stream.

        Args:
            stream: What does the work.
            fused: How rotations are rounded. Defaults to how numpy does it here.
        """
        self.stream = CountingStream(stream)
        self.fused = numpy_fuses_dots() if fused is None else fused
        self._graphs: DeviceGraphs | None = None
        self.rooms = Rooms(self.stream)
        self._sorter = Sorter()

    def make_table(self, window_size: int) -> DeviceHypothesisTable:
        return self.table_class(self.stream, window_size)

    def displace(
        self,
        table: DeviceHypothesisTable,
        segments: Sequence[int],
        displacement: npt.NDArray[np.float64],
    ) -> None:
        index = np.asarray(segments, dtype=np.int64)
        counts = table.counts[index]
        owners, firsts = owners_and_firsts(counts, UPDATE_THREADS)
        # In the order of the kernel's parameters.
        arrays = dict(
            block_owners=owners,
            block_firsts=firsts,
            row_starts=table.starts[index],
            row_counts=counts,
            sides=table.sides[index],
            displacement=displacement,
        )
        sent = self.rooms.send("displacement", arrays)
        self.stream.launch(
            "displace",
            len(owners),
            UPDATE_THREADS,
            table.address,
            *(sent[name] for name in arrays),
            int(self.fused),
        )
        table.displaced(index, displacement)

    def add_votes(
        self, table: DeviceHypothesisTable, votes: Mapping[int, VotesForGraph]
    ) -> None:
        add_votes(self.rooms, table, votes)

    def likely_rows(
        self, table: DeviceHypothesisTable, segments: Sequence[int], threshold: float
    ) -> LikelyRows:
        return likely_rows(self.rooms, table, segments, threshold)

    def begin(
        self,
        table: DeviceHypothesisTable,
        graphs: GraphTable,
        work: KernelWork,
        new: NewHypotheses = NO_HYPOTHESES,
    ) -> DeviceStep:
        return self.step_class(
            self.rooms,
            table,
            self.graphs_on_device(graphs),
            work,
            new,
            self._sorter,
            fused=self.fused,
        )

    def close(self) -> None:
        """Free everything on the device, and close the stream."""
        self._graphs = None
        self.rooms.clear()
        self._sorter.close()
        self.stream.close()

    @property
    def layout(self) -> tuple[int, ...]:
        return self.rooms.nbytes, self.stream.pooled()

    def held(self) -> Iterator[Held]:
        if self._graphs is not None:
            yield from self._graphs.held()
        yield from self.rooms.held()
        pooled, made_by = self.stream.pooled(), name_of(self.stream.allocate)
        if pooled:
            reason = "freed, and kept for the next allocation"
            yield Held(self.stream.where, "pool", pooled, made_by, reason)

    def graphs_on_device(self, table: GraphTable) -> DeviceGraphs:
        if self._graphs is None or self._graphs.table.revision != table.revision:
            self._graphs = None  # freed before there are others
            self._graphs = self.make_graphs(table)
        return self._graphs

    def make_graphs(self, table: GraphTable) -> DeviceGraphs:
        return DeviceGraphs(self.stream, table)
