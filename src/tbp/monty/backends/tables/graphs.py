# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The nodes of many graphs, stacked."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Hashable, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numpy.numbers import UnusableNumbers, usable
from tbp.monty.backends.tables.blocks import starts_of
from tbp.monty.backends.tables.cells import CellGrid, make_cell_grid
from tbp.monty.backends.tables.places import Places, make_places

__all__ = ["BOX", "RECORD", "Graph", "GraphArrays", "GraphTable", "make_graph"]

_revisions = itertools.count()

RECORD = 10
"""How many numbers are read of a node to match it; see `GraphArrays.records`."""

BOX = (
    "radii",
    "lowest",
    "highest",
    "grid_origins",
    "cells_per_unit",
    "grid_shapes",
    "cell_offsets",
    "member_offsets",
)
"""What `GraphTable.boxes` has, by the names of `GraphArrays`."""


@dataclass(frozen=True, eq=False)
class Graph:
    """The nodes that one object's model has for one input channel.

    Attributes:
        locations: Shape (n, 3).
        pose_vectors: Surface normal and the two curvature directions, shape (n, 3, 3).
        pose_fully_defined: Whether a node's curvature directions mean anything,
            shape (n,).
        features: All features but those of the pose, shape (n, columns).
        radius: How far from a search location a node may be to match.
        grid: The nodes by cells, for that radius.
    """

    locations: npt.NDArray[np.float64]
    pose_vectors: npt.NDArray[np.float64]
    pose_fully_defined: npt.NDArray[np.bool_]
    features: npt.NDArray[np.float64]
    radius: float
    grid: CellGrid

    def __len__(self) -> int:
        return len(self.locations)

    @cached_property
    def places(self) -> Places:
        """Where the nodes in reach of each cell are, made when they are asked for."""
        return make_places(self.locations, self.grid)

    @cached_property
    def records(self) -> npt.NDArray[np.float64]:
        """What is read of each node to match it; see `GraphArrays`."""
        vectors = self.pose_vectors[:, :2].reshape(-1, 6)
        known = self.pose_fully_defined[:, np.newaxis]
        return np.hstack([self.locations, vectors, known])

    def nbytes(self) -> int:
        """Return the bytes of the nodes and of their cells."""
        made = vars(self).get("places")
        places = {} if made is None else made._asdict()
        return _nbytes({**vars(self), **vars(self.grid), **places})


def make_graph(
    name: Hashable,
    locations: npt.ArrayLike,
    pose_vectors: npt.ArrayLike,
    pose_fully_defined: npt.ArrayLike,
    features: npt.ArrayLike,
    radius: float,
) -> Graph:
    """Check the nodes of a graph and sort them into cells.

    This is the work that is worth keeping while an object's model stays as it is.

    Args:
        name: What to call the graph in messages.
        locations: Shape (n, 3).
        pose_vectors: Shape (n, 9) or (n, 3, 3).
        pose_fully_defined: Shape (n,) or (n, 1); anything but zero counts as true.
        features: Shape (n, columns). Missing values may be NaN; a hypothesis that
            meets them is an error then.
        radius: How far from a search location a node may be to match.

    Returns:
        The graph.

    Raises:
        UnusableNumbers: If locations, pose vectors or radius are not usable.
    """
    locations = _copy(locations).reshape(-1, 3)
    count = len(locations)
    pose_vectors = _copy(pose_vectors).reshape(count, 3, 3)
    features = _copy(features)
    features = features.reshape(count, features.shape[1])
    if not (radius > 0 and usable(radius)):
        raise UnusableNumbers(
            f"graph {name!r}: max_match_distance must be positive and finite, "
            f"got {radius}"
        )
    for what, values in (("location", locations), ("pose vectors", pose_vectors)):
        axes = tuple(range(1, values.ndim))
        bad = np.flatnonzero(~usable(values).all(axis=axes))
        if len(bad):
            raise UnusableNumbers(
                f"graph {name!r}: the {what} of node {bad[0]} must be finite, got "
                f"{values[bad[0]].tolist()} ({len(bad)} of {count} nodes are like that)"
            )
    return Graph(
        locations=locations,
        pose_vectors=pose_vectors,
        pose_fully_defined=np.array(pose_fully_defined, dtype=bool).reshape(count),
        features=features,
        radius=float(radius),
        grid=make_cell_grid(locations, float(radius)),
    )


class GraphArrays(NamedTuple):
    """The stacked nodes of many graphs, as kernels read them.

    Attributes:
        node_starts: Where each graph's nodes start, and the end, shape (graphs + 1,).
        locations: Shape (nodes, 3).
        frames: Surface normals and curvature directions, shape (nodes, 3, 3).
        direction_known: Whether the directions mean anything, shape (nodes,).
        records: What is read of a node to match it, in one place: location, surface
            normal, first curvature direction, and 1 if that means anything or 0, shape
            (nodes, RECORD).
        features: Feature rows, one after the other.
        feature_starts: Where the rows of each graph start, shape (graphs + 1,).
        feature_columns: The number of columns of each graph, shape (graphs,).
        radii: How far a node may be to match, shape (graphs,).
        lowest: The lowest coordinates of each graph's nodes, shape (graphs, 3).
        highest: The highest, shape (graphs, 3).
        grid_origins: Shape (graphs, 3).
        cells_per_unit: Shape (graphs,).
        grid_shapes: Cells along each axis, shape (graphs, 3).
        cell_offsets: Where in `cell_starts` each graph starts, shape (graphs,).
        cell_starts: Where among the graph's members each cell's start.
        member_offsets: Where in `members` each graph starts, shape (graphs,).
        members: Nodes in reach of each cell, by their number in the graph.
    """

    node_starts: npt.NDArray[np.int64]
    locations: npt.NDArray[np.float64]
    frames: npt.NDArray[np.float64]
    direction_known: npt.NDArray[np.bool_]
    records: npt.NDArray[np.float64]
    features: npt.NDArray[np.float64]
    feature_starts: npt.NDArray[np.int64]
    feature_columns: npt.NDArray[np.int64]
    radii: npt.NDArray[np.float64]
    lowest: npt.NDArray[np.float64]
    highest: npt.NDArray[np.float64]
    grid_origins: npt.NDArray[np.float64]
    cells_per_unit: npt.NDArray[np.float64]
    grid_shapes: npt.NDArray[np.int64]
    cell_offsets: npt.NDArray[np.int64]
    cell_starts: npt.NDArray[np.uint32]
    member_offsets: npt.NDArray[np.int64]
    members: npt.NDArray[np.uint32]


class GraphTable:
    """The nodes of all graphs that a group of learning modules matches against.

    Attributes:
        arrays: Their nodes, stacked.
        node_counts: How many nodes each has, shape (graphs,).
        revision: Another number for every table.
    """

    def __init__(self, graphs: Mapping[Hashable, Graph]) -> None:
        """Stack graphs.

        Args:
            graphs: The graphs by a key that tells them apart, such as learning module,
                object and input channel. Learning modules with the same memory can
                share a graph, which is stacked once.
        """
        self._graphs = list(dict.fromkeys(graphs.values()))
        places = {graph: i for i, graph in enumerate(self._graphs)}
        self._index = {key: places[graph] for key, graph in graphs.items()}
        self.revision = next(_revisions)
        self.arrays = _stack(self._graphs)
        self.node_counts = np.diff(self.arrays.node_starts)

    @cached_property
    def places(self) -> Places:
        """Where the nodes in reach of each cell are, made when they are asked for."""
        each = [graph.places for graph in self._graphs]
        names = Places._fields
        return Places(
            *[_joined([getattr(one, name) for one in each]) for name in names]
        )

    @cached_property
    def boxes(self) -> npt.NDArray[np.float64]:
        """All there is of each graph's bounds and grid, in one place.

        For each of `BOX` one number, or one for each axis, shape (graphs, 16).
        """
        columns = self.arrays._asdict()
        return np.column_stack([columns[name].astype(np.float64) for name in BOX])

    def __len__(self) -> int:
        return len(self._graphs)

    def index(self, key: Hashable) -> int:
        return self._index[key]

    def graph(self, index: int) -> Graph:
        return self._graphs[index]

    def nbytes(self) -> int:
        """Return the bytes of the nodes and of their cells."""
        made = vars(self).get("places")
        places = {} if made is None else made._asdict()
        return _nbytes({**self.arrays._asdict(), **places})


def _nbytes(columns: Mapping[str, object]) -> int:
    return sum(one.nbytes for one in columns.values() if isinstance(one, np.ndarray))


def _stack(graphs: Sequence[Graph]) -> GraphArrays:
    grids = [graph.grid for graph in graphs]
    # A graph without nodes is nowhere: its bounds exclude no location, nor include one.
    nowhere = np.full(3, np.nan)
    return GraphArrays(
        node_starts=starts_of([len(graph) for graph in graphs]),
        locations=_joined([graph.locations for graph in graphs], (3,)),
        frames=_joined([graph.pose_vectors for graph in graphs], (3, 3)),
        direction_known=_joined([g.pose_fully_defined for g in graphs], (), np.bool_),
        records=_joined([graph.records for graph in graphs], (RECORD,)),
        features=_joined([graph.features.ravel() for graph in graphs]),
        feature_starts=starts_of([graph.features.size for graph in graphs]),
        feature_columns=_numbers([g.features.shape[1] for g in graphs], np.int64),
        radii=_numbers([graph.radius for graph in graphs]),
        lowest=_numbers(
            [g.locations.min(axis=0) if len(g) else nowhere for g in graphs]
        ).reshape(-1, 3),
        highest=_numbers(
            [g.locations.max(axis=0) if len(g) else nowhere for g in graphs]
        ).reshape(-1, 3),
        grid_origins=_numbers([grid.origin for grid in grids]).reshape(-1, 3),
        cells_per_unit=_numbers([grid.cells_per_unit for grid in grids]),
        grid_shapes=_numbers([grid.shape for grid in grids], np.int64).reshape(-1, 3),
        cell_offsets=starts_of([len(grid.starts) for grid in grids])[:-1],
        cell_starts=_joined([grid.starts for grid in grids], (), np.uint32),
        member_offsets=starts_of([len(grid.members) for grid in grids])[:-1],
        members=_joined([grid.members for grid in grids], (), np.uint32),
    )


def _joined(
    parts: Sequence[npt.NDArray],
    shape: tuple[int, ...] = (),
    dtype: npt.DTypeLike = np.float64,
) -> npt.NDArray:
    # The empty part keeps shape and type where there are no graphs.
    return np.concatenate([np.zeros((0, *shape), dtype), *parts])


def _numbers(values: Sequence, dtype: npt.DTypeLike = np.float64) -> npt.NDArray:
    return np.array(values, dtype=dtype)


def _copy(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    # A copy: the model that a graph was made from may change under it.
    return np.array(values, dtype=np.float64, order="C")
