# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Objects that are ellipsoids, whose normals and curvatures have closed forms."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

__all__ = ["Ellipsoid", "Observed", "random_ellipsoid"]

Array = npt.NDArray[np.float64]

HALF_AXES = ((0.025, 0.035), (0.04, 0.05), (0.055, 0.065))
"""In metres. They differ, so that most principal directions are defined."""

SIMILAR_CURVATURES = 10
"""In 1/m. If the two differ by less, Monty's sensors call directions undefined."""

COLOURS = 6


@dataclass(frozen=True)
class Observed:
    """Features at locations, sensed or stored, one row per point.

    Attributes:
        locations: Shape (n, 3).
        pose_vectors: Three unit vectors at right angles, as a rotation: the outward
            normal, and the directions of the first and second principal curvature.
            Shape (n, 3, 3).
        pose_fully_defined: Whether the principal directions are meaningful. Shape (n,).
        principal_curvatures_log: The larger one first; negative where the surface is
            convex, as in Monty. Shape (n, 2).
        hsv: Hue, saturation and value, each from 0 to 1. Shape (n, 3).
    """

    locations: Array
    pose_vectors: Array
    pose_fully_defined: npt.NDArray[np.bool_]
    principal_curvatures_log: Array
    hsv: Array

    def __len__(self) -> int:
        return len(self.locations)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class Ellipsoid:
    """A closed surface around the origin, with patches of colour.

    Attributes:
        half_axes: In metres.
        patches: One direction per patch: a point belongs to the nearest direction.
        colours: Hue, saturation and value of each patch.
    """

    half_axes: Array
    patches: Array
    colours: Array

    def project(self, points: Array) -> Array:
        """Return where rays from the origin to points cross the surface."""
        return points / np.linalg.norm(points / self.half_axes, axis=1, keepdims=True)

    def normals(self, points: Array) -> Array:
        return _unit(points / self.half_axes**2)

    def observe(self, points: Array) -> Observed:
        """Return what an ideal sensor would report at points on the surface."""
        normals = self.normals(points)
        tangents = _tangents(normals)
        # How the normal turns along the surface, seen in the tangent plane.
        steepness = np.linalg.norm(points / self.half_axes**2, axis=1)
        turning = (tangents / self.half_axes**2) @ tangents.transpose(0, 2, 1)
        values, vectors = np.linalg.eigh(-turning / steepness[:, None, None])
        curvatures = values[:, ::-1]  # eigh sorts them upwards
        first = np.einsum("ni,nij->nj", vectors[:, :, 1], tangents)
        second = np.cross(normals, first)
        patches = np.argmax(_unit(points) @ self.patches.T, axis=1)
        return Observed(
            locations=points,
            pose_vectors=np.stack([normals, first, second], axis=1),
            pose_fully_defined=np.ptp(curvatures, axis=1) >= SIMILAR_CURVATURES,
            principal_curvatures_log=np.sign(curvatures) * np.log1p(np.abs(curvatures)),
            hsv=self.colours[patches],
        )

    def nodes(self, count: int, rng: np.random.Generator) -> Observed:
        """Return nodes spread over the surface, in the order of a scan.

        In a learned model, which is scanned in spirals, a node is about as near to the
        next one as to the nearest one. This affects times: hypotheses that are computed
        one after the other read the same nodes.

        Args:
            count: How many.
            rng: Decides where they lie.
        """
        directions = Rotation.random(random_state=rng).apply(_even_directions(count))
        directions += rng.normal(scale=0.3 / np.sqrt(count), size=directions.shape)
        points = _unit(directions) * self.half_axes
        turns = np.floor(points[:, 2] / (self.half_axes.mean() * 3.5 / np.sqrt(count)))
        return self.observe(
            points[np.lexsort([np.arctan2(points[:, 1], points[:, 0]), turns])]
        )


def random_ellipsoid(rng: np.random.Generator) -> Ellipsoid:
    """Return an object of the size of a hand-held one, with random colours."""
    return Ellipsoid(
        half_axes=rng.permutation([rng.uniform(*bounds) for bounds in HALF_AXES]),
        patches=_unit(rng.normal(size=(COLOURS, 3))),
        colours=rng.uniform([0, 0.2, 0.2], [1, 1, 1], (COLOURS, 3)),
    )


def _unit(vectors: Array) -> Array:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _tangents(normals: Array) -> Array:
    """Return two unit vectors at right angles to each normal. Shape (n, 2, 3)."""
    # Any axis works that is not nearly parallel to the normal.
    axis = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    first = _unit(np.cross(normals, axis))
    return np.stack([first, np.cross(normals, first)], axis=1)


def _even_directions(count: int) -> Array:
    """Return unit vectors spread evenly: a spiral that turns by the golden angle."""
    index = np.arange(count) + 0.5
    height = 1 - 2 * index / count
    turn = np.pi * (1 + np.sqrt(5)) * index
    width = np.sqrt(1 - height**2)
    return np.stack([width * np.cos(turn), width * np.sin(turn), height], axis=1)
