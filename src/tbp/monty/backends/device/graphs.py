# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The stored graphs in a device's memory."""

from __future__ import annotations

from typing import Iterator, NamedTuple

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.layout import BOX, GRAPHS, GRID
from tbp.monty.backends.device.stream import Memory, Stream
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.held import Held, name_of
from tbp.monty.backends.tables.kernel_work import KernelWork

__all__ = ["DeviceGraphs", "Matches"]


class Matches(NamedTuple):
    """What is known of the matches of works of one revision.

    Attributes:
        revision: The revision of these works.
        scored_nodes: For each match, how many nodes have feature evidence.
        channel_counts: How many matches each segment has.
        channels: How many a segment has at most.
    """

    revision: int
    scored_nodes: npt.NDArray[np.int64]
    channel_counts: npt.NDArray[np.int64]
    channels: int


class DeviceGraphs:
    """A copy of a table of graphs, laid out for a device.

    Attributes:
        table: The table.
        address: Where the structure that describes it is.
    """

    def __init__(self, stream: Stream, table: GraphTable) -> None:
        self.table = table
        self._stream = stream
        self._memories: list[Memory] = []
        self._matches: Matches | None = None
        arrays, real = table.arrays, stream.real
        places = np.column_stack([arrays.locations, arrays.direction_known])
        boxes = _filled(
            BOX.dtype(real),
            lowest=arrays.lowest,
            highest=arrays.highest,
            origin=arrays.grid_origins,
            cells_per_unit=arrays.cells_per_unit,
            radius=arrays.radii,
        )
        grids = _filled(
            GRID.dtype(),
            cells=arrays.grid_shapes,
            first_cell=arrays.cell_offsets,
            first_member=arrays.member_offsets,
        )
        # One column after the other, so that the loads of a warp are coalesced.
        features = [table.graph(i).features.T.ravel() for i in range(len(table))]
        addresses = {
            "node_starts": self._copy(arrays.node_starts, np.int64),
            "places": self._copy(places, real),
            "poses": self._copy(arrays.frames[:, :2], real),
            "frames": self._copy(arrays.frames, real),
            "features": self._copy(np.concatenate([np.zeros(0), *features]), real),
            "feature_starts": self._copy(arrays.feature_starts, np.int64),
            "boxes": self._copy(boxes, boxes.dtype),
            "grids": self._copy(grids, grids.dtype),
            "cell_starts": self._copy(arrays.cell_starts, np.uint32),
            "members": self._copy(arrays.members, np.uint32),
        }
        self.address = self._copy(GRAPHS.filled(addresses), np.int64)

    def matches_of(self, work: KernelWork) -> Matches:
        """Return what is known of the matches of a work."""
        known = self._matches
        if known is None or known.revision != work.revision:
            nodes = self.table.node_counts[work.match_graphs]
            counts = np.diff(work.match_starts)
            known = self._matches = Matches(
                revision=work.revision,
                scored_nodes=np.where(work.score_starts >= 0, nodes, 0),
                channel_counts=counts,
                channels=int(counts.max(initial=1)),
            )
        return known

    def held(self) -> Iterator[Held]:
        """Yield the memory of the nodes and of their cells."""
        nbytes = sum(memory.nbytes for memory in self._memories)
        reason = "what hypotheses are matched with, until a graph changes"
        yield Held(self._stream.where, "graphs", nbytes, name_of(self._copy), reason)

    def _copy(self, values: npt.ArrayLike, dtype: npt.DTypeLike) -> int:
        array = np.ascontiguousarray(values, dtype=dtype)
        memory = self._stream.allocate(max(array.nbytes, 8), "stored graphs")
        self._stream.send(memory.address, array.tobytes())
        self._memories.append(memory)
        return memory.address


def _filled(dtype: np.dtype, **columns: npt.NDArray) -> npt.NDArray:
    """Return structures of which each has a row of each column."""
    filled = np.zeros(len(next(iter(columns.values()))), dtype=dtype)
    with np.errstate(over="ignore"):
        for name, values in columns.items():
            filled[name] = values
    return filled
