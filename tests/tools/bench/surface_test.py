# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import unittest

import numpy as np

from monty_tools.bench.surface import Surface, random_surface


def spread(count: int) -> np.ndarray:
    """Return directions that are spread evenly over the sphere."""
    height = (np.arange(count) + 0.5) / count * 2 - 1
    turn = np.arange(count) * np.pi * (3 - np.sqrt(5))
    width = np.sqrt(1 - height**2)
    return np.stack([width * np.cos(turn), width * np.sin(turn), height], axis=1)


class Measured:
    """A surface sampled at many points, with the area that each represents."""

    def __init__(self, surface: Surface, count: int = 20_000) -> None:
        directions = spread(count)
        self.points = surface.project(directions)
        self.frames = surface.frames(self.points)
        self.normals = self.frames.pose_vectors[:, 0]
        self.facing = np.sum(self.normals * directions, axis=1)
        distances = np.linalg.norm(self.points, axis=1)
        self.areas = distances**2 / self.facing * 4 * np.pi / count


class SurfaceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.surfaces = [random_surface(np.random.default_rng(i)) for i in range(6)]

    def test_every_direction_leads_to_a_point_on_it(self) -> None:
        for surface in self.surfaces:
            points = surface.project(spread(500))
            np.testing.assert_allclose(surface.level(points), 1, atol=1e-12)
            np.testing.assert_allclose(
                points / np.linalg.norm(points, axis=1, keepdims=True),
                spread(500),
                atol=1e-12,
            )

    def test_a_ray_crosses_it_once(self) -> None:
        for surface in self.surfaces:
            points = surface.project(spread(500))
            for part in np.linspace(0.05, 0.999, 40):
                self.assertLess(surface.level(points * part).max(), 1)
            for part in np.linspace(1.001, 2, 40):
                self.assertGreater(surface.level(points * part).min(), 1)

    def test_it_is_closed(self) -> None:
        for surface in self.surfaces:
            measured = Measured(surface)
            self.assertGreater(measured.facing.min(), 0)
            # The normals of a closed surface cancel.
            total = measured.areas @ measured.normals
            self.assertLess(np.abs(total).max() / measured.areas.sum(), 1e-5)

    def test_the_total_curvature_is_that_of_a_sphere(self) -> None:
        for surface in self.surfaces:
            measured = Measured(surface)
            gaussian = measured.frames.curvatures.prod(axis=1)
            self.assertAlmostEqual(gaussian @ measured.areas / (4 * np.pi), 1, places=3)

    def test_pose_vectors_are_rotations(self) -> None:
        for surface in self.surfaces:
            vectors = surface.frames(surface.project(spread(500))).pose_vectors
            np.testing.assert_allclose(
                vectors @ vectors.transpose(0, 2, 1),
                np.broadcast_to(np.eye(3), vectors.shape),
                atol=1e-12,
            )
            np.testing.assert_allclose(np.linalg.det(vectors), 1, atol=1e-12)

    def test_the_normal_turns_along_principal_directions_by_the_curvature(
        self,
    ) -> None:
        step = 1e-6
        for surface in self.surfaces:
            points = surface.project(spread(300))
            frames = surface.frames(points)
            for i in range(2):
                direction = frames.pose_vectors[:, 1 + i]
                ahead = surface.project(points + step * direction)
                turned = surface.frames(ahead).pose_vectors[:, 0]
                turning = (turned - frames.pose_vectors[:, 0]) / step
                # Where the surface is convex, the normal turns against the direction.
                expected = -frames.curvatures[:, i, None] * direction
                np.testing.assert_allclose(turning, expected, atol=0.05)

    def test_the_first_curvature_is_the_larger_one(self) -> None:
        for surface in self.surfaces:
            curvatures = surface.frames(surface.project(spread(500))).curvatures
            self.assertTrue((curvatures[:, 0] >= curvatures[:, 1]).all())

    def test_a_sphere_has_the_curvature_of_a_sphere(self) -> None:
        sphere = Surface(
            half_axes=np.full(3, 0.05),
            exponent=2.0,
            wave_vectors=np.zeros((1, 3)),
            amplitudes=np.zeros(1),
            phases=np.zeros(1),
        )
        curvatures = sphere.frames(sphere.project(spread(100))).curvatures
        np.testing.assert_allclose(curvatures, -20)

    def test_it_depends_on_the_seed_and_nothing_else(self) -> None:
        one, same, another = (
            random_surface(np.random.default_rng(seed)).project(spread(50))
            for seed in (3, 3, 4)
        )
        np.testing.assert_array_equal(one, same)
        self.assertFalse(np.allclose(one, another))
