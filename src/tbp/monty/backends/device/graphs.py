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

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.layout import (
    CELL,
    GRAPHS,
    LIST_BYTES,
    MEMBER,
    SINGLE_NUMBERS,
    UPDATE_THREADS,
    WARP,
    structure,
)
from tbp.monty.backends.device.stream import Memory, Stream
from tbp.monty.backends.tables.blocks import make_blocks
from tbp.monty.backends.tables.graphs import GraphTable

__all__ = ["DeviceGraphs"]

_BITS = np.array([byte.bit_count() for byte in range(256)], dtype=np.uint8)
"""How many bits of a byte are set."""


class DeviceGraphs:
    """A copy of a table of graphs, laid out for a device.

    Attributes:
        address: Where the structure that describes it is.
    """

    def __init__(self, stream: Stream, table: GraphTable) -> None:
        self._stream = stream
        self._memories: list[Memory] = []
        arrays, real = table.arrays, stream.real
        nodes = len(arrays.locations)
        places = np.empty((nodes, 4))
        places[:, :3] = arrays.locations
        places[:, 3] = arrays.direction_known
        boxes = np.column_stack(
            [
                arrays.lowest,
                arrays.highest,
                arrays.grid_origins,
                arrays.cells_per_unit,
                arrays.radii,
            ]
        )
        grids = np.column_stack(
            [arrays.grid_shapes, arrays.cell_offsets, arrays.member_offsets]
        )
        # A column after the other, so that neighbouring threads read neighbours.
        features = [table.graph(i).features.T.ravel() for i in range(len(table))]
        spots = _spots(table)
        singles, are_single = _singles(table, places)
        addresses = {
            "node_starts": self._copy(arrays.node_starts, np.int64),
            "are_single": self._copy(are_single, np.int64),
            "singles": self._copy(singles, np.float32),
            "places": self._copy(places, real),
            "poses": self._copy(arrays.frames[:, :2], real),
            "frames": self._copy(arrays.frames, real),
            "features": self._copy(np.concatenate([np.zeros(0), *features]), real),
            "feature_starts": self._copy(arrays.feature_starts, np.int64),
            "feature_columns": self._copy(arrays.feature_columns, np.int64),
            "boxes": self._copy(boxes, real),
            "grids": self._copy(grids, np.int64),
            "cell_starts": self._copy(arrays.cell_starts, np.uint32),
            "members": self._copy(_members(table, spots), MEMBER),
            "spots": self._copy(spots, MEMBER),
            "reaches": self._copy(_reaches(table), np.float32),
            "cells": self._copy(np.zeros(len(arrays.cell_starts), CELL), CELL),
            "lists": 0,
        }
        self.address = self._copy(structure(GRAPHS, addresses), np.int64)
        if len(table):
            self._list_nearest(arrays.grid_shapes.prod(axis=1), addresses)

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
        self._memories.append(memory)
        addresses = {**addresses, "lists": memory.address}
        stream.write(self.address, 0, structure(GRAPHS, addresses).reshape(1, -1))
        self._launch("list_nearest", cells * WARP)

    def _launch(self, kernel: str, threads: npt.NDArray[np.int64]) -> None:
        """Launch a kernel for as many threads a graph."""
        blocks = make_blocks(np.zeros_like(threads), threads, UPDATE_THREADS)
        self._stream.launch(
            kernel,
            len(blocks.owners),
            UPDATE_THREADS,
            self.address,
            self._copy(blocks.owners, np.int64),
            self._copy(blocks.starts, np.int64),
        )

    def _copy(self, values, dtype) -> int:
        values = np.ascontiguousarray(values, dtype=dtype)
        memory = self._stream.allocate(max(values.nbytes, 8), "stored graphs")
        if values.nbytes:
            self._stream.write(memory.address, values.nbytes, values.reshape(1, -1))
        self._memories.append(memory)
        return memory.address


def _singles(
    table: GraphTable, places: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """Return what nodes are matched with, rounded, and which graphs are not changed."""
    arrays = table.arrays
    numbers = np.column_stack([places, arrays.frames[:, :2].reshape(-1, 6)])
    singles = np.zeros((len(numbers), SINGLE_NUMBERS), dtype=np.float32)
    with np.errstate(over="ignore"):
        singles[:, : numbers.shape[1]] = numbers
    is_rounded = (singles[:, : numbers.shape[1]] != numbers).any(axis=1)
    rounded = np.concatenate([[0], np.cumsum(is_rounded)])[arrays.node_starts]
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


def _reaches(table: GraphTable) -> npt.NDArray[np.float32]:
    """Return what rounding to single precision can do to distances, see `Member`."""
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
    bounds = np.column_stack([reach, 2 * error]).astype(np.float32)
    return np.nextafter(bounds, np.float32(np.inf))
