# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Which node of a graph is farthest from another graph."""

from __future__ import annotations

import math
import weakref
from typing import Any, Mapping, MutableMapping

import numpy as np
import numpy.typing as npt
from scipy.ndimage import distance_transform_edt
from scipy.spatial import KDTree

from tbp.monty.frameworks.utils.original_method import is_original

__all__ = ["clearly_farthest_node"]

CELLS = 2 / 3
"""Cells along the longest side of a graph, per square root of its number of nodes.

Nodes lie on surfaces, so that this gives as many nodes per cell to all graphs. More
cells give closer nodes, but take more time to make."""

MOST_CELLS = 32
"""Cells along the longest side of a graph, at most."""

LIKELY = 0.7
"""A node is looked at more closely if the bound of its distance is at least this part
of the highest bound."""

COMPARED_FIRST = 8
"""How many of these nodes are first compared with all nodes of the other graph. Most
often the farthest node is among them."""

MOST_COMPARED = 16
"""With more nodes, searching in a tree is faster."""

_DOUBT_PER_UNIT = 1e-12
_DOUBT_OF_SQUARES = 1e-9
"""Rounding changes distances by a smaller part of coordinates, and their squares by a
smaller part of themselves or of a cell."""

_MODELS = "tbp.monty.frameworks.models.object_model"


def clearly_farthest_node(
    hypothesis: Mapping[str, Any],
    locations: npt.ArrayLike,
    other_hypothesis: Mapping[str, Any],
    other: Any,
) -> np.intp | None:
    """Return which node of a graph is farthest from another graph, if that is clear.

    Args:
        hypothesis: The location on the graph that is sensed, and the rotation to it.
        locations: The locations of the graph's nodes, shape (n, 3).
        other_hypothesis: The same as for the graph, for the other one.
        other: The model of the other object.

    Returns:
        The index of the node; None if rounding may decide, or if the model searches
        for nodes in its own way.
    """
    search = other.find_nearest_neighbors
    if not is_original(search, _MODELS, "GridObjectModel.find_nearest_neighbors"):
        return None
    locations = np.asarray(locations, dtype=np.float64)
    tree = other._location_tree
    if not (len(locations) and tree.n):
        return None
    grid = _grids.get(tree)
    if grid is None:
        grid = _grids[tree] = _Grid(tree)
    here = np.asarray(hypothesis["location"])
    there = np.asarray(other_hypothesis["location"])
    back = hypothesis["rotation"].as_matrix().T
    rotation = other_hypothesis["rotation"].as_matrix() @ back
    if rotation.shape != (3, 3):
        return None
    largest = max(map(abs, (*here.tolist(), *there.tolist(), grid.largest)))
    with np.errstate(over="ignore", invalid="ignore"):
        places = grid.places(locations, rotation, there - rotation @ here)
        doubt = _DOUBT_PER_UNIT * largest * grid.per_unit
        return _Nodes(places, grid, tree).farthest(doubt)


class _Grid:
    """Cells of equal size, each with a node of a graph that is near it.

    It is not always the nearest node. Places are locations in units of a cell, counted
    from the first cell.
    """

    def __init__(self, tree: KDTree) -> None:
        size = tree.maxes - tree.mins
        cells = min(CELLS * math.sqrt(tree.n), MOST_CELLS)
        self.per_unit = cells / (float(size.max()) or 1.0)
        self.largest = float(np.abs([tree.mins, tree.maxes]).max())
        self._origin = tree.mins
        # One row per coordinate: numpy is slow with many short rows.
        self._nodes = np.ascontiguousarray((tree.data - tree.mins).T) * self.per_unit
        self._norms = np.add.reduce(self._nodes * self._nodes)
        self._last = np.floor(size * self.per_unit)[:, np.newaxis]
        shape = (self._last.ravel() + 1).astype(int)
        strides = np.array([shape[1] * shape[2], shape[2], 1])
        self._strides = strides.astype(np.float64)
        self._around = np.array([0, *strides, *-strides])[:, np.newaxis]
        node_of_cell = np.full(shape, -1, np.int32)
        node_of_cell.flat[self.cells(self._nodes)] = np.arange(tree.n)
        # A cell without a node gets that of the nearest cell with one.
        nearest = distance_transform_edt(
            node_of_cell < 0, return_distances=False, return_indices=True
        )
        self._node_of_cell = node_of_cell[tuple(nearest)].ravel()

    def places(
        self,
        locations: npt.NDArray[np.float64],
        rotation: npt.NDArray[np.float64],
        translation: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.float64]:
        """Return the places of locations that are rotated, then moved, shape (3, n)."""
        places = (rotation * self.per_unit) @ locations.T
        places += ((translation - self._origin) * self.per_unit)[:, np.newaxis]
        return places

    def locations(self, places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the locations of places, shape (n, 3)."""
        return places.T / self.per_unit + self._origin

    def cells(self, places: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
        """Return the cell that each place is in, or the nearest one."""
        inside = np.minimum(np.maximum(places, 0), self._last)
        return (self._strides @ np.trunc(inside, out=inside)).astype(np.intp)

    def squares(
        self, places: npt.NDArray[np.float64], cells: npt.NDArray[np.intp]
    ) -> npt.NDArray[np.float64]:
        """Return the squared distances of places to the nodes of their cells."""
        # A place that is not a number is in no cell.
        away = self._nodes.take(self._node_of_cell.take(cells, mode="clip"), axis=1)
        away -= places
        away *= away
        return np.add.reduce(away)

    def tighter_squares(
        self, places: npt.NDArray[np.float64], cells: npt.NDArray[np.intp]
    ) -> npt.NDArray[np.float64]:
        """Return the least squared distances to the nodes of the cells around."""
        # Beyond an edge of the grid are cells at another edge, which do no harm.
        around = self._node_of_cell.take(cells + self._around, mode="clip")
        away = self._nodes.take(around, axis=1)
        away -= places[:, np.newaxis]
        away *= away
        return np.add.reduce(away).min(axis=0)

    def nearest_squares(
        self, places: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Return the squared distances of places to the nearest of all nodes."""
        # |a - b|^2 = |a|^2 + |b|^2 - 2ab
        squares = (-2 * places).T @ self._nodes
        squares += self._norms
        nearest = squares.min(axis=1) + np.add.reduce(places * places)
        return np.maximum(nearest, 0, out=nearest)  # rounding may make them negative


_grids: MutableMapping[KDTree, _Grid] = weakref.WeakKeyDictionary()


class _Nodes:
    """The nodes of one graph at their places in the grid of another."""

    def __init__(
        self, places: npt.NDArray[np.float64], grid: _Grid, tree: KDTree
    ) -> None:
        self._places = places
        self._cells = grid.cells(places)
        self._grid = grid
        self._tree = tree

    def farthest(self, doubt: float) -> np.intp | None:
        """Return the node farthest from the other graph.

        Args:
            doubt: How much rounding may change a distance.

        Returns:
            The node; None if it may be another one.
        """
        # The distance to any node is a bound of the distance to the nearest one.
        bounds = self._grid.squares(self._places, self._cells)
        highest = bounds.max()
        if not highest < np.inf:
            return None
        nodes = np.flatnonzero(bounds >= LIKELY**2 * highest)
        tighter = bounds[nodes] = self._tighter_bounds(nodes)
        if len(nodes) > COMPARED_FIRST:
            nodes = nodes[tighter.argpartition(-COMPARED_FIRST)[-COMPARED_FIRST:]]
        squares = self._nearest_squares(nodes)
        least = _least(squares, doubt)
        bounds[nodes] = -1  # They are known now.
        others = np.flatnonzero(bounds >= least)
        if len(others):
            others = others[self._tighter_bounds(others) >= least]
        if len(others):
            nodes = np.concatenate([nodes, others])
            squares = np.concatenate([squares, self._nearest_squares(others)])
            least = _least(squares, doubt)
        farthest = nodes[squares >= least]
        return farthest[0] if len(farthest) == 1 else None

    def _tighter_bounds(self, nodes: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        return self._grid.tighter_squares(
            self._places.take(nodes, axis=1), self._cells.take(nodes)
        )

    def _nearest_squares(self, nodes: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        places = self._places.take(nodes, axis=1)
        if len(nodes) <= MOST_COMPARED:
            return self._grid.nearest_squares(places)
        distances = self._tree.query(self._grid.locations(places))[0]
        return (distances * self._grid.per_unit) ** 2


def _least(squares: npt.NDArray[np.float64], doubt: float) -> float:
    """Return the least square that may be the largest one but for rounding."""
    largest = float(squares.max())
    doubt_of_squares = _DOUBT_OF_SQUARES * (largest + 1) + 2 * doubt * largest**0.5
    return max(largest - doubt_of_squares, 0.0)
