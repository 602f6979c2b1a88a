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

import operator
from typing import Iterator, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.layout import (
    BOX,
    CELL,
    GRAPHS,
    GRID,
    LIST_BYTES,
    MEMBER,
    REACH,
    SINGLE,
    UPDATE_THREADS,
    WARP,
)
from tbp.monty.backends.device.stream import Memory, Stream
from tbp.monty.backends.tables.blocks import owners_and_firsts, starts_of
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.held import Held, name_of
from tbp.monty.backends.tables.kernel_work import KernelWork

__all__ = ["DeviceGraphs", "Matches"]

_BITS = np.array([byte.bit_count() for byte in range(256)], dtype=np.uint8)
"""How many bits of a byte are set."""


class Matches(NamedTuple):
    """What is known of the matches of works, as long as their arrays are the same.

    Attributes:
        arrays: These arrays.
        scored_nodes: For each match, how many nodes have feature evidence.
        channel_counts: How many matches each segment has.
        channels: How many a segment has at most.
    """

    arrays: Sequence[npt.NDArray[np.int64]]
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
        self._lists: Memory | None = None
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
        spots = _spots(table)
        singles, are_single = _singles(table)
        addresses = {
            "node_starts": self._copy(arrays.node_starts, np.int64),
            "are_single": self._copy(are_single, np.int64),
            "singles": self._copy(singles, singles.dtype),
            "places": self._copy(places, real),
            "poses": self._copy(arrays.frames[:, :2], real),
            "frames": self._copy(arrays.frames, real),
            "features": self._copy(np.concatenate([np.zeros(0), *features]), real),
            "feature_starts": self._copy(arrays.feature_starts, np.int64),
            "boxes": self._copy(boxes, boxes.dtype),
            "grids": self._copy(grids, grids.dtype),
            "cell_starts": self._copy(arrays.cell_starts, np.uint32),
            "members": self._copy(_members(table, spots), MEMBER),
            "spots": self._copy(spots, MEMBER),
            "reaches": self._copy(_reaches(table), REACH.dtype()),
            "cells": self._copy(np.zeros(len(arrays.cell_starts), CELL), CELL),
            "lists": 0,
        }
        self.address = self._copy(GRAPHS.filled(addresses), np.int64)
        if len(table):
            self._list_nearest(arrays.grid_shapes.prod(axis=1), addresses)

    def matches_of(self, work: KernelWork) -> Matches:
        """Return what is known of the matches of a work."""
        known = self._matches
        arrays = work.match_starts, work.match_graphs, work.score_starts
        if known is None or not all(map(operator.is_, known.arrays, arrays)):
            nodes = self.table.node_counts[work.match_graphs]
            counts = np.diff(work.match_starts)
            known = self._matches = Matches(
                arrays=arrays,
                scored_nodes=np.where(work.score_starts >= 0, nodes, 0),
                channel_counts=counts,
                channels=int(counts.max(initial=1)),
            )
        return known

    def held(self) -> Iterator[Held]:
        """Yield the memory of the nodes and of the precomputed neighbour lists."""
        lists = 0 if self._lists is None else self._lists.nbytes
        nodes = sum(memory.nbytes for memory in self._memories)
        for kind, nbytes, make in (
            ("graphs", nodes, self._copy),
            ("lists", lists, self._list_nearest),
        ):
            reason = "what hypotheses are matched with, until a graph changes"
            yield Held(self._stream.where, kind, nbytes, name_of(make), reason)

    def _list_nearest(
        self, cells: npt.NDArray[np.int64], addresses: dict[str, int]
    ) -> None:
        """Have the device list which nodes are near which part of a cell.

        Only then is it known how many lists there are.
        """
        stream = self._stream
        self._launch("find_masks", cells)
        # As `cell_starts`, which has one more for each graph.
        shape = (1, int((cells + 1).sum()))
        of_cells = stream.read(addresses["cells"], 0, shape, CELL)
        masks = np.ascontiguousarray(of_cells["mask"]).view(np.uint8)
        lists = _BITS[masks].reshape(-1, 8).sum(axis=1, dtype=np.int64)
        ends = np.cumsum(lists)
        of_cells["first"] = ends - lists
        stream.write(addresses["cells"], 0, of_cells)
        memory = stream.allocate(max(int(ends[-1]), 1) * LIST_BYTES, "stored graphs")
        self._lists = memory
        addresses = {**addresses, "lists": memory.address}
        stream.write(self.address, 0, GRAPHS.filled(addresses).reshape(1, -1))
        self._launch("list_nearest", cells * WARP)

    def _launch(self, kernel: str, threads: npt.NDArray[np.int64]) -> None:
        """Launch a kernel with a number of threads per graph."""
        owners, firsts = owners_and_firsts(threads, UPDATE_THREADS)
        self._stream.launch(
            kernel,
            len(owners),
            UPDATE_THREADS,
            self.address,
            self._copy(owners, np.int64),
            self._copy(firsts, np.int64),
        )

    def _copy(self, values: npt.ArrayLike, dtype: npt.DTypeLike) -> int:
        array = np.ascontiguousarray(values, dtype=dtype)
        memory = self._stream.allocate(max(array.nbytes, 8), "stored graphs")
        if array.nbytes:
            self._stream.write(memory.address, array.nbytes, array.reshape(1, -1))
        self._memories.append(memory)
        return memory.address


def _filled(dtype: np.dtype, **columns: npt.NDArray) -> npt.NDArray:
    """Return structures of which each has a row of each column."""
    filled = np.zeros(len(next(iter(columns.values()))), dtype=dtype)
    with np.errstate(over="ignore"):
        for name, values in columns.items():
            filled[name] = values
    return filled


def _singles(table: GraphTable) -> tuple[npt.NDArray, npt.NDArray[np.bool_]]:
    """Return what nodes are matched with, rounded, and which graphs are not changed."""
    arrays = table.arrays
    columns = dict(
        place=arrays.locations,
        direction_known=arrays.direction_known,
        normal=arrays.frames[:, 0],
        direction=arrays.frames[:, 1],
    )
    singles = _filled(SINGLE.dtype(), **columns)
    is_rounded = np.zeros(len(singles), dtype=np.bool_)
    for name, values in columns.items():
        axes = tuple(range(1, values.ndim))
        is_rounded |= (singles[name] != values).any(axis=axes)
    rounded = starts_of(is_rounded)[arrays.node_starts]
    return singles, np.diff(rounded) == 0


def _spots(table: GraphTable) -> npt.NDArray:
    """Return where nodes are, relative to the grid's origin, rounded."""
    arrays = table.arrays
    spots = np.empty(len(arrays.locations), dtype=MEMBER)
    for i, start in enumerate(arrays.node_starts[:-1]):
        relative = table.graph(i).locations - arrays.grid_origins[i]
        of_graph = spots[start : start + len(relative)]
        of_graph["node"] = np.arange(len(relative))
        for axis, name in enumerate("xyz"):
            of_graph[name] = relative[:, axis]
    return spots


def _members(table: GraphTable, spots: npt.NDArray) -> npt.NDArray:
    """Return the nodes in reach of each cell."""
    arrays = table.arrays
    first_nodes = np.repeat(
        arrays.node_starts[:-1],
        np.diff(np.append(arrays.member_offsets, len(arrays.members))),
    )
    return spots[first_nodes + arrays.members]


def _reaches(table: GraphTable) -> npt.NDArray:
    """Return what rounding to single precision can do to distances."""
    arrays = table.arrays
    radii = arrays.radii
    corners = [
        arrays.lowest - arrays.grid_origins,
        arrays.highest - arrays.grid_origins,
    ]
    # A graph without nodes has no members that could be missed.
    farthest = np.nan_to_num(np.abs(corners).max(axis=(0, 2), initial=0.0)) + radii
    # Of a coordinate of a node and of a hypothesis, and of their difference; all of
    # these bounds are a few times what is needed.
    away = farthest * 2.0**-22
    reach = (radii + 2 * away) ** 2 * (1 + 2.0**-20)
    error = 5 * (radii + 2 * away) * away + (radii + 2 * away) ** 2 * 2.0**-21
    upwards = np.float32(np.inf)
    return _filled(
        REACH.dtype(),
        square=np.nextafter(reach.astype(np.float32), upwards),
        tolerance=np.nextafter((2 * error).astype(np.float32), upwards),
    )
