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

from tbp.monty.backends.cuda.lane import Lane, Memory
from tbp.monty.backends.cuda.layout import (
    GRAPHS,
    MEMBER,
    UPDATE_THREADS,
    structure,
)
from tbp.monty.backends.packing import make_blocks
from tbp.monty.backends.tables import GraphTable

__all__ = ["DeviceGraphs"]


class DeviceGraphs:
    """A copy of a table of graphs, laid out for a device.

    Attributes:
        address: Where the structure that describes it is.
    """

    def __init__(self, lane: Lane, table: GraphTable) -> None:
        self._lane = lane
        self._memories: list[Memory] = []
        arrays, real = table.arrays, lane.real
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
        addresses = {
            "node_starts": self._copy(arrays.node_starts, np.int64),
            "places": self._copy(places, real),
            "poses": self._copy(arrays.frames[:, :2], real),
            "frames": self._copy(arrays.frames, real),
            "features": self._copy(np.concatenate([np.zeros(0), *features]), real),
            "feature_starts": self._copy(arrays.feature_starts, np.int64),
            "feature_columns": self._copy(arrays.feature_columns, np.int64),
            "boxes": self._copy(boxes, real),
            "grids": self._copy(grids, np.int64),
            "cell_starts": self._copy(arrays.cell_starts, np.uint32),
            "members": self._copy(_members(table), MEMBER),
            "reaches": self._copy(_reaches(table), np.float32),
            "masks": self._copy(np.zeros(len(arrays.cell_starts)), np.uint64),
        }
        self.address = self._copy(structure(GRAPHS, addresses), np.int64)
        cells = arrays.grid_shapes.prod(axis=1)
        blocks = make_blocks(np.zeros_like(cells), cells, UPDATE_THREADS)
        lane.launch(
            "find_masks",
            len(blocks.owners),
            UPDATE_THREADS,
            self.address,
            self._copy(blocks.owners, np.int64),
            self._copy(blocks.starts, np.int64),
        )

    def _copy(self, values, dtype) -> int:
        values = np.ascontiguousarray(values, dtype=dtype)
        memory = self._lane.allocate(max(values.nbytes, 8), "stored graphs")
        if values.nbytes:
            self._lane.write(memory.address, values.nbytes, values.reshape(1, -1))
        self._memories.append(memory)
        return memory.address


def _members(table: GraphTable) -> npt.NDArray:
    """Return the nodes in reach of each cell, relative to the grid's origin."""
    arrays = table.arrays
    members = np.empty(len(arrays.members), dtype=MEMBER)
    ends = np.append(arrays.member_offsets[1:], len(members))
    members["node"] = arrays.members
    for i in range(len(table)):
        of_graph = slice(arrays.member_offsets[i], ends[i])
        relative = table.graph(i).locations - arrays.grid_origins[i]
        near = relative.astype(np.float32)[arrays.members[of_graph]]
        for axis, name in enumerate("xyz"):
            members[name][of_graph] = near[:, axis]
    return members


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
