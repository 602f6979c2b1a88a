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
    "CELLS_PER_RADIUS",
    "SIMD_WIDTH",
    "CellGrid",
    "cell_of",
    "make_cell_grid",
]

CELLS_PER_RADIUS = 1
"""Smaller cells have shorter neighbour lists, but each node is in more of them."""

CELLS_PER_NODE = 16
"""Limits the memory of a grid; a surface of 2 000 nodes needs about four."""

SIMD_WIDTH = 8
"""How many places are compared at a time; see `CellGrid.places`."""

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
        places: Where these nodes are, seen from the middle of the cell, rounded to 32
            bits: most searches need no more. For each cell first x of all its members,
            then y, then z. Each of these is filled up with infinity to a multiple of
            `SIMD_WIDTH`, for processors that compare several at a time.
        place_starts: How many of them stand before each cell, for each axis, and the
            end, shape (cells + 1,).
        farthest: How far from the middle a coordinate can be.
    """

    origin: npt.NDArray[np.float64]
    cells_per_unit: float
    shape: npt.NDArray[np.int64]
    starts: npt.NDArray[np.uint32]
    members: npt.NDArray[np.uint32]
    places: npt.NDArray[np.float32]
    place_starts: npt.NDArray[np.uint32]
    farthest: float


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
    cells_per_unit = CELLS_PER_RADIUS / (radius * _MARGIN)
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
    cells, nodes = cells[order], nodes[order]
    along_axes = np.stack(np.unravel_index(np.arange(len(counts)), shape), axis=1)
    middles = lowest + (along_axes + 0.5) / cells_per_unit
    from_middle = locations[nodes] - middles[cells]
    starts = starts_of(counts)
    place_starts = starts_of(-(-counts // SIMD_WIDTH) * SIMD_WIDTH)
    return CellGrid(
        origin=lowest,
        cells_per_unit=cells_per_unit,
        shape=shape,
        starts=starts.astype(np.uint32),
        members=nodes.astype(np.uint32),
        places=_axis_by_axis(from_middle, cells, starts, place_starts),
        place_starts=place_starts.astype(np.uint32),
        farthest=float(np.abs(from_middle).max(initial=0.0)),
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


def _axis_by_axis(
    points: npt.NDArray[np.float64],
    cells: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    place_starts: npt.NDArray[np.int64],
) -> npt.NDArray[np.float32]:
    """Lay the points of each cell out axis by axis; see `CellGrid.places`."""
    lengths = np.diff(place_starts)[cells]
    number = np.arange(len(points)) - starts[cells]
    first = 3 * place_starts[cells] + number
    flat = np.full(3 * place_starts[-1], np.inf, dtype=np.float32)
    with np.errstate(over="ignore"):  # spots that far are searched in 64 bits
        for axis in range(3):
            flat[first + axis * lengths] = points[:, axis]
    return flat


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
    at = (locations - origin) * cells_per_unit
    own = cell_of(locations, origin, cells_per_unit, shape)
    offsets = np.arange(-CELLS_PER_RADIUS, CELLS_PER_RADIUS + 1)
    # For each axis the cells around each node, and how far they are, in cells.
    cells = own[:, :, np.newaxis] + offsets
    above = cells - at[:, :, np.newaxis]
    below = at[:, :, np.newaxis] - (cells + 1)
    gaps = np.maximum(np.where(offsets > 0, above, np.where(offsets < 0, below, 0)), 0)
    gaps[(cells < 0) | (cells >= shape[:, np.newaxis])] = np.inf
    squares = (
        gaps[:, 0, :, np.newaxis, np.newaxis] ** 2
        + gaps[:, 1, np.newaxis, :, np.newaxis] ** 2
        + gaps[:, 2, np.newaxis, np.newaxis, :] ** 2
    )
    reach = radius * cells_per_unit * _MARGIN
    in_reach = squares <= reach * reach
    x, y, z = np.moveaxis(cells, 1, 0)
    rows = x[:, :, np.newaxis] * shape[1] + y[:, np.newaxis, :]
    flat = rows[..., np.newaxis] * shape[2] + z[:, np.newaxis, np.newaxis, :]
    nodes = np.repeat(np.arange(len(cells)), in_reach.sum(axis=(1, 2, 3)))
    return flat[in_reach], nodes
