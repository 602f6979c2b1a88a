# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Which nodes of a graph may be within a radius of a location, by cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.tables.blocks import starts_of

__all__ = [
    "CELLS_PER_NODE",
    "CellGrid",
    "cell_of",
    "make_cell_grid",
]

CELLS_PER_NODE = 16
"""Limits the memory of a grid; a surface of 2 000 nodes needs about four."""

_MARGIN = 1.0 + 1e-9
"""Distances are taken a little longer, so that rounding loses no node."""


@dataclass(frozen=True)
class CellGrid:
    """A box of cubic cells with the nodes in reach of each.

    Locations outside the box count to its outermost cells, which have no end
    outwards. So the box may leave out a few stray nodes, and need not grow with the
    extent of a graph: a node is in the list of every cell that has a point within the
    radius of it, and each location is in a cell.

    Attributes:
        origin: The lowest corner of the box, shape (3,).
        cells_per_unit: The inverse of the length of a cell's edge.
        shape: The number of cells along each axis, shape (3,).
        starts: Where each cell's nodes start, and the end, shape (cells + 1,). The
            last axis runs fastest.
        members: The nodes of one cell after the other, each cell's in order.
    """

    origin: npt.NDArray[np.float64]
    cells_per_unit: float
    shape: npt.NDArray[np.int64]
    starts: npt.NDArray[np.uint32]
    members: npt.NDArray[np.uint32]


def make_cell_grid(locations: npt.NDArray[np.float64], radius: float) -> CellGrid:
    """Find the nodes in reach of each cell.

    Args:
        locations: Locations of the nodes, shape (n, 3).
        radius: How far from a location its neighbours may be.

    Returns:
        A grid with at most `CELLS_PER_NODE` cells per node, plus 27.
    """
    if len(locations) == 0:
        locations = np.zeros((0, 3))
        lowest = highest = np.zeros(3)
    else:
        lowest, highest = locations.min(axis=0), locations.max(axis=0)
    most_cells = CELLS_PER_NODE * len(locations) + 27
    # Smaller cells have shorter neighbour lists, but each node is in more of them.
    cells_per_unit = 1 / (radius * _MARGIN)
    if _cells(lowest, highest, cells_per_unit).prod() > most_cells:
        # A few stray nodes must not make the cells of all others coarse.
        lowest, highest = np.quantile(locations, [0.01, 0.99], axis=0)
    while _cells(lowest, highest, cells_per_unit).prod() > most_cells:
        cells_per_unit *= 0.8

    shape = _cells(lowest, highest, cells_per_unit).astype(np.int64)
    cells, nodes = _in_reach(locations, radius, lowest, cells_per_unit, shape)
    counts = np.bincount(cells, minlength=shape.prod())
    # In as few bits as will do, as numpy sorts 16 of them ten times faster.
    order = np.argsort(cells.astype(np.min_scalar_type(len(counts))), kind="stable")
    return CellGrid(
        origin=lowest,
        cells_per_unit=cells_per_unit,
        shape=shape,
        starts=starts_of(counts).astype(np.uint32),
        members=nodes[order].astype(np.uint32),
    )


def cell_of(
    points: npt.NDArray[np.float64],
    origin: npt.NDArray[np.float64],
    cells_per_unit: float,
    shape: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Return the cell of each point, shape (n, 3)."""
    # Clipped before it becomes an integer, which a far point would overflow.
    cells = np.floor((points - origin) * cells_per_unit)
    return np.clip(cells, 0, shape - 1).astype(np.int64)


def _cells(
    lowest: npt.NDArray[np.float64],
    highest: npt.NDArray[np.float64],
    cells_per_unit: float,
) -> npt.NDArray[np.float64]:
    return np.floor((highest - lowest) * cells_per_unit) + 1


def _in_reach(
    locations: npt.NDArray[np.float64],
    radius: float,
    origin: npt.NDArray[np.float64],
    cells_per_unit: float,
    shape: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return all pairs of a cell and a node in reach of it, in the order of nodes."""
    # Nodes run fastest: numpy is slow where it has only three numbers in a row.
    at = np.ascontiguousarray(((locations - origin) * cells_per_unit).T)
    own = np.ascontiguousarray(cell_of(locations, origin, cells_per_unit, shape).T)
    # For each axis how far the cell before a node's own is, and the next, in cells.
    gaps = np.zeros((3, 3, len(locations)))
    gaps[:, 0] = np.where(own > 0, np.maximum(at - own, 0), np.inf)
    is_inside = own + 1 < shape[:, np.newaxis]
    gaps[:, 2] = np.where(is_inside, np.maximum(own + 1 - at, 0), np.inf)
    x, y, z = gaps**2
    squares = x[:, np.newaxis, np.newaxis] + y[:, np.newaxis] + z
    reach = radius * cells_per_unit * _MARGIN
    in_reach = (squares <= reach * reach).reshape(27, -1)
    nodes, around = np.divmod(np.flatnonzero(in_reach.T), 27)
    along = np.arange(-1, 2)
    rows = along[:, np.newaxis] * shape[1] + along
    steps = (rows[..., np.newaxis] * shape[2] + along).ravel()
    return np.ravel_multi_index(own, shape)[nodes] + steps[around], nodes
