# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How far locations are from a graph, as far as the farthest one is looked for."""

from __future__ import annotations

import math
import weakref
from typing import Any, MutableMapping

import numpy as np
import numpy.typing as npt
from scipy.ndimage import distance_transform_edt
from scipy.spatial import KDTree

__all__ = ["far_distances"]

CELLS = 2 / 3
"""Cells along the longest side of a graph, per square root of its number of nodes.

Nodes lie on surfaces, so that this gives as many nodes per cell to all graphs. More
cells give closer nodes, but take more time to make."""

MOST_CELLS = 32
"""Cells along the longest side of a graph, at most."""

LOOKED_AT = 32
"""How many locations are looked at first. Nearly always the farthest is among them."""

_UPSTREAMS_SEARCH = "GridObjectModel.find_nearest_neighbors"
"""It is known by its name: somebody may have put another in its place."""


def far_distances(graph: Any, locations: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return how far locations are from the nearest node, if that is far.

    Args:
        graph: The model of an object.
        locations: The locations, shape (n, 3).

    Returns:
        The distance of each location that is farthest, and of some others; less than
        that for all that are nearer.
    """
    locations = np.asarray(locations)
    search = graph.find_nearest_neighbors
    if (
        getattr(search, "__qualname__", None) != _UPSTREAMS_SEARCH
        or len(locations) <= LOOKED_AT
        or graph._location_tree.n == 0
    ):
        return search(locations, num_neighbors=1, return_distance=True)
    tree = graph._location_tree
    nearby = _nearby.get(tree)
    if nearby is None:
        nearby = _nearby[tree] = _NearbyNodes(tree)
    squares = nearby.squared_distances(locations)
    distances = np.full(len(locations), -np.inf)
    rows = np.argpartition(squares, -LOOKED_AT)[-LOOKED_AT:]
    distances[rows] = tree.query(locations[rows])[0]
    squares[rows] = -1  # They are known now.
    # Rounding may make a distance to a node that is not the nearest one smaller.
    rows = np.flatnonzero(squares >= (1 - 1e-9) * distances.max() ** 2)
    if len(rows):
        distances[rows] = tree.query(locations[rows])[0]
    return distances


class _NearbyNodes:
    """Knows a node near each location, not always the nearest one."""

    def __init__(self, tree: KDTree) -> None:
        size = tree.maxes - tree.mins
        cells = min(CELLS * math.sqrt(tree.n), MOST_CELLS)
        self._cells_per_unit = cells / max(size.max(), 1e-300)
        last = np.floor(size * self._cells_per_unit)
        rows, columns = last[1:] + 1
        self._strides = np.array([rows * columns, columns, 1])
        # One row per coordinate: numpy is slow with many short rows.
        self._origin = tree.mins[:, np.newaxis]
        self._last = last[:, np.newaxis]
        node_of_cell = np.full((last + 1).astype(int), -1)
        node_of_cell.flat[self._cells(tree.data.T)] = np.arange(tree.n)
        # A cell without a node gets that of the nearest cell with one.
        nearest = distance_transform_edt(
            node_of_cell < 0, return_distances=False, return_indices=True
        )
        self._nodes = tree.data.T.take(node_of_cell[tuple(nearest)].ravel(), axis=1)

    def _cells(self, coordinates: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
        cells = np.floor((coordinates - self._origin) * self._cells_per_unit)
        # What is not a number gets a cell too; the search refuses it.
        cells = np.fmin(np.fmax(cells, 0), self._last)
        return (self._strides @ cells).astype(np.intp)

    def squared_distances(
        self, locations: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Return the squared distances to these nodes, not less than to the nearest."""
        with np.errstate(over="ignore", invalid="ignore"):
            coordinates = np.ascontiguousarray(locations.T)
            away = coordinates - self._nodes.take(self._cells(coordinates), axis=1)
            return np.add.reduce(away * away)


_nearby: MutableMapping[KDTree, _NearbyNodes] = weakref.WeakKeyDictionary()
