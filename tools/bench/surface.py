# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Closed surfaces whose normals and curvatures are known exactly.

A surface is where a superquadric with waves on it equals one:

    |x/a|^n + |y/b|^n + |z/c|^n + sum of e * cos(k . p + phase)  =  1

The gradient and the Hessian of the left side have closed forms; they give the normals
and principal curvatures. The waves are so small that every ray from the origin crosses
the surface once: it is closed, and a direction identifies a point on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Frames", "Surface", "random_surface"]

Array = npt.NDArray[np.float64]

WAVES = 5
WAVELENGTH = (0.03, 0.06)
HALF_AXES = (0.025, 0.065)
EXPONENTS = (2.0, 3.0, 4.0)
"""With these the curvature does not jump; between 2 and 3 it nearly would."""

ROUGHNESS = (0.6, 0.95)
"""The size of the waves, relative to the largest at which rays still cross once."""

HALVINGS = 12
NEWTON_STEPS = 4
"""After the halvings, each step of Newton's method doubles the correct digits."""


@dataclass(frozen=True)
class Frames:
    """What a sensor can measure of the shape at points of a surface.

    Attributes:
        pose_vectors: For each point three unit vectors at right angles, as a rotation:
            the outward normal, and the directions of the first and second principal
            curvature. Shape (n, 3, 3).
        curvatures: The first and second principal curvature in 1/m, the larger one
            first; negative where the surface is convex, as in Monty. Shape (n, 2).
    """

    pose_vectors: Array
    curvatures: Array


@dataclass(frozen=True)
class Surface:
    """A closed surface around the origin, in metres.

    Attributes:
        half_axes: a, b and c of the superquadric.
        exponent: Its exponent n: 2 is an ellipsoid, more is closer to a box.
        wave_vectors: k of the waves. Shape (waves, 3).
        amplitudes: e of the waves.
        phases: Their phases.
    """

    half_axes: Array
    exponent: float
    wave_vectors: Array
    amplitudes: Array
    phases: Array

    def project(self, directions: Array) -> Array:
        """Return the points at which rays from the origin cross the surface.

        Args:
            directions: Where the rays go; their lengths do not matter. Shape (n, 3).
        """
        rays = directions / np.linalg.norm(directions, axis=1, keepdims=True)
        # Along a ray the quadric is a power, and the waves are cosines of the distance.
        n = self.exponent
        quadric = np.sum(np.abs(rays / self.half_axes) ** n, axis=1)
        numbers = rays @ self.wave_vectors.T

        def waves_at(distance: Array) -> Array:
            return numbers * distance[:, None] + self.phases

        # The waves add at most the sum of their amplitudes, either way.
        most = self.amplitudes.sum()
        near = ((1 - most) / quadric) ** (1 / n)
        far = ((1 + most) / quadric) ** (1 / n)
        for _ in range(HALVINGS):
            middle = (near + far) / 2
            level = quadric * middle**n + np.cos(waves_at(middle)) @ self.amplitudes
            near, far = (
                np.where(level < 1, middle, near),
                np.where(level < 1, far, middle),
            )
        distance = (near + far) / 2
        for _ in range(NEWTON_STEPS):
            waves = waves_at(distance)
            level = quadric * distance**n + np.cos(waves) @ self.amplitudes
            slope = n * quadric * distance ** (n - 1)
            slope -= (np.sin(waves) * numbers) @ self.amplitudes
            distance = np.clip(distance - (level - 1) / slope, near, far)
        return rays * distance[:, None]

    def level(self, points: Array) -> Array:
        """Return the left side of the equation; less than one is inside."""
        quadric = np.sum(np.abs(points / self.half_axes) ** self.exponent, axis=1)
        return quadric + np.cos(self._angles(points)) @ self.amplitudes

    def gradient(self, points: Array) -> Array:
        scaled = points / self.half_axes
        n = self.exponent
        quadric = n * np.sign(scaled) * np.abs(scaled) ** (n - 1) / self.half_axes
        waves = -np.sin(self._angles(points)) * self.amplitudes
        return quadric + waves @ self.wave_vectors

    def hessian(self, points: Array) -> Array:
        scaled = np.abs(points / self.half_axes)
        n = self.exponent
        quadric = n * (n - 1) * scaled ** (n - 2) / self.half_axes**2
        waves = -np.cos(self._angles(points)) * self.amplitudes
        outer = np.einsum("wi,wj->wij", self.wave_vectors, self.wave_vectors)
        return quadric[:, :, None] * np.eye(3) + np.tensordot(waves, outer, axes=1)

    def frames(self, points: Array) -> Frames:
        """Return normals, principal directions and curvatures at points on it.

        Args:
            points: The points. Shape (n, 3).
        """
        gradient = self.gradient(points)
        steepness = np.linalg.norm(gradient, axis=1)
        normals = gradient / steepness[:, None]
        tangents = _tangents(normals)
        # How the normal turns along the surface, seen in the tangent plane.
        turning = tangents @ self.hessian(points) @ tangents.transpose(0, 2, 1)
        values, vectors = np.linalg.eigh(-turning / steepness[:, None, None])
        # Sorted upwards by eigh; the first principal curvature is the larger one.
        curvatures = values[:, ::-1]
        first = np.einsum("ni,nij->nj", vectors[:, :, 1], tangents)
        second = np.cross(normals, first)
        return Frames(np.stack([normals, first, second], axis=1), curvatures)

    def _angles(self, points: Array) -> Array:
        return points @ self.wave_vectors.T + self.phases


def random_surface(rng: np.random.Generator) -> Surface:
    """Return a surface of the size of a hand-held object."""
    half_axes = rng.uniform(*HALF_AXES, 3)
    exponent = float(rng.choice(EXPONENTS))
    directions = rng.normal(size=(WAVES, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    numbers = 2 * np.pi / rng.uniform(*WAVELENGTH, WAVES)
    shares = rng.dirichlet(np.ones(WAVES))
    # Where the surface may be, within `total` of one, the quadric rises along a ray by
    # n * (1 - total) / radius at least, and the waves fall by total * number at most.
    limit = exponent / (exponent + shares @ numbers * np.linalg.norm(half_axes))
    total = limit * rng.uniform(*ROUGHNESS)
    return Surface(
        half_axes=half_axes,
        exponent=exponent,
        wave_vectors=directions * numbers[:, None],
        amplitudes=shares * total,
        phases=rng.uniform(0, 2 * np.pi, WAVES),
    )


def _tangents(normals: Array) -> Array:
    """Return two unit vectors at right angles to each normal. Shape (n, 2, 3)."""
    # Any axis works that is not nearly parallel to the normal.
    axis = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    first = np.cross(normals, axis)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return np.stack([first, np.cross(normals, first)], axis=1)
