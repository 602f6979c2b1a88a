# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Objects with a shape and colours, and the nodes that a model of one would have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .observed import Observed
from .scan import scan_order
from .surface import Surface, random_surface

__all__ = ["SyntheticObject", "random_object"]

Array = npt.NDArray[np.float64]

SIMILAR_CURVATURES = 10
"""In 1/m. If the two differ by less, Monty's sensors call directions undefined."""

COLOURS = 6
CANDIDATES = 8
"""Points on the surface, for each node that is kept."""

VOXEL_SIZES_TRIED = 4


@dataclass(frozen=True)
class SyntheticObject:
    """A closed surface with patches of colour.

    Attributes:
        surface: Its shape.
        patches: One direction per patch: a point belongs to the nearest direction.
        colours: Hue, saturation and value of each patch.
        most_nodes: The most nodes that will be asked for.
    """

    surface: Surface
    patches: Array
    colours: Array
    most_nodes: int

    def observe(self, points: Array) -> Observed:
        """Return what an ideal sensor would report at points on the surface."""
        frames = self.surface.frames(points)
        curvatures = frames.curvatures
        directions = points / np.linalg.norm(points, axis=1, keepdims=True)
        return Observed(
            locations=points,
            pose_vectors=frames.pose_vectors,
            pose_fully_defined=(
                curvatures[:, 0] - curvatures[:, 1] >= SIMILAR_CURVATURES
            ),
            principal_curvatures_log=np.sign(curvatures) * np.log1p(np.abs(curvatures)),
            hsv=self.colours[np.argmax(directions @ self.patches.T, axis=1)],
        )

    def nodes(self, count: int, rng: np.random.Generator) -> Observed:
        """Return nodes spread over the surface as those of a learned model are.

        Such a model divides space into voxels and has one node per voxel, in the
        order in which a sensor reached them.

        Args:
            count: How many.
            rng: Decides where the voxels lie, and which point of a voxel is its node.
        """
        points = self._candidates[rng.permutation(len(self._candidates))]
        offset = rng.uniform(size=3)
        size = self.surface.half_axes.mean() / np.sqrt(count)
        kept = _one_in_a_voxel(points, size, offset)
        for _ in range(VOXEL_SIZES_TRIED):
            size *= np.sqrt(len(kept) / count)  # half the size, four times the voxels
            kept = _one_in_a_voxel(points, size, offset)
        while len(kept) < count:
            size *= 0.97
            kept = _one_in_a_voxel(points, size, offset)
        nodes = self.observe(points[rng.choice(kept, count, replace=False)])
        return nodes.at(scan_order(nodes.locations, nodes.pose_vectors[:, 0], size))

    @cached_property
    def _candidates(self) -> Array:
        # Stretched with the object, so that no part of it gets too few points.
        directions = _even_directions(CANDIDATES * self.most_nodes)
        return self.surface.project(directions * self.surface.half_axes)


def random_object(rng: np.random.Generator, most_nodes: int) -> SyntheticObject:
    """Return an object with a random shape and random colours."""
    surface = random_surface(rng)
    patches = rng.normal(size=(COLOURS, 3))
    return SyntheticObject(
        surface=surface,
        patches=patches / np.linalg.norm(patches, axis=1, keepdims=True),
        colours=rng.uniform([0, 0.2, 0.2], [1, 1, 1], (COLOURS, 3)),
        most_nodes=most_nodes,
    )


def _one_in_a_voxel(points: Array, size: float, offset: Array) -> npt.NDArray[np.int64]:
    """Return the index of the first point in each voxel that has one."""
    voxels = np.floor(points / size + offset).astype(np.int64)
    voxels -= voxels.min(axis=0)
    widths = voxels.max(axis=0) + 1
    return np.unique(np.ravel_multi_index(voxels.T, widths), return_index=True)[1]


def _even_directions(count: int) -> Array:
    """Return unit vectors spread evenly: a spiral that turns by the golden angle."""
    index = np.arange(count) + 0.5
    height = 1 - 2 * index / count
    turn = np.pi * (1 + np.sqrt(5)) * index
    width = np.sqrt(1 - height**2)
    return np.stack([width * np.cos(turn), width * np.sin(turn), height], axis=1)
