# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Stored graphs on a device that is not there."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.counting.stream import CountingStream
from tbp.monty.backends.device.graphs import DeviceGraphs
from tbp.monty.backends.device.layout import CELL, PARTS
from tbp.monty.backends.tables.graphs import Graph, GraphTable

__all__ = ["CountingGraphs", "masks_of"]

_REACH = 1 + 1e-6
"""As `find_masks` enlarges a squared radius."""


class CountingGraphs(DeviceGraphs):
    """Takes the memory of graphs, and finds on the host how many lists they have.

    Attributes:
        lists: How many bytes the neighbour lists take.
        others: How many bytes all else takes.
    """

    def __init__(self, stream: CountingStream, table: GraphTable, copies: int) -> None:
        """Count graphs.

        Args:
            stream: What counts.
            table: The graphs.
            copies: For how many graphs each of the table stands.
        """
        self._counting = stream
        before, stream.copies = stream.pool.used, copies
        try:
            super().__init__(stream, table)
        finally:
            stream.copies = 1
        self.lists = 0 if self._lists is None else self._lists.nbytes
        self.others = stream.pool.used - before - self.lists

    def _list_nearest(
        self, cells: npt.NDArray[np.int64], addresses: dict[str, int]
    ) -> None:
        found = np.zeros(int((cells + 1).sum()), dtype=CELL)
        start = 0
        for i, count in enumerate(cells.tolist()):
            found["mask"][start : start + count] = masks_of(self.table.graph(i))
            start += count + 1
        self._counting.answers.append(found)
        super()._list_nearest(cells, addresses)


def masks_of(graph: Graph) -> npt.NDArray[np.uint64]:
    """Return which parts of each cell of a graph have a list, as `find_masks` does."""
    grid = graph.grid
    shape = grid.shape * PARTS
    # In parts of a cell, from the corner of the grid.
    at = (graph.locations - grid.origin) * grid.cells_per_unit * PARTS
    reach = graph.radius * grid.cells_per_unit * PARTS
    square = reach * reach * _REACH
    own = np.clip(np.floor(at), 0, shape - 1)
    steps = np.arange(-int(reach) - 2, int(reach) + 3)
    parts = own[:, :2, np.newaxis] + steps
    last = shape[:2, np.newaxis] - 1
    below = np.where(parts > 0, parts - at[:, :2, np.newaxis], 0)
    above = np.where(parts < last, at[:, :2, np.newaxis] - parts - 1, 0)
    gaps = np.maximum(np.maximum(below, above), 0) ** 2
    gaps[(parts < 0) | (parts > last)] = np.inf
    left = square - gaps[:, 0, :, np.newaxis] - gaps[:, 1, np.newaxis, :]
    node, x, y = np.nonzero(left >= 0)
    # Along the last axis the parts in reach are neighbours: from the first to the last.
    most = np.sqrt(left[node, x, y])
    first = np.clip(np.ceil(at[node, 2] - most) - 1, 0, shape[2] - 1)
    end = np.clip(np.floor(at[node, 2] + most), 0, shape[2] - 1) + 1
    row = (parts[node, 0, x] * shape[1] + parts[node, 1, y]) * (shape[2] + 1)
    size = int(shape[0] * shape[1] * (shape[2] + 1))
    begun = np.bincount((row + first).astype(np.int64), minlength=size)
    ended = np.bincount((row + end).astype(np.int64), minlength=size)
    in_reach = np.cumsum(begun - ended).reshape(*shape[:2], -1)[:, :, :-1] > 0
    by_cell = in_reach.reshape([n for cells in grid.shape for n in (cells, PARTS)])
    bits = by_cell.transpose(0, 2, 4, 1, 3, 5).reshape(-1, PARTS**3)
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)[:, 0]
