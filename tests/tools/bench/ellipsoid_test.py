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
from scipy.spatial import cKDTree

from monty_tools.bench.ellipsoid import Ellipsoid, random_ellipsoid
from monty_tools.bench.walk import LOCATION_NOISE, walk


def nodes(count: int, seed: int = 0):
    return thing(1).nodes(count, np.random.default_rng(seed))


def thing(seed: int) -> Ellipsoid:
    return random_ellipsoid(np.random.default_rng(seed))


class EllipsoidTest(unittest.TestCase):
    def test_a_sphere_has_the_curvature_of_a_sphere(self) -> None:
        sphere = Ellipsoid(np.full(3, 0.05), np.eye(3), np.zeros((3, 3)))
        found = sphere.observe(
            sphere.project(np.random.default_rng(0).normal(size=(9, 3)))
        )
        np.testing.assert_allclose(found.principal_curvatures_log, -np.log1p(20))
        self.assertFalse(found.pose_fully_defined.any())

    def test_the_normal_turns_along_principal_directions_by_the_curvature(self) -> None:
        one, step = thing(0), 1e-6
        found = one.observe(one.project(np.random.default_rng(0).normal(size=(300, 3))))
        normals = found.pose_vectors[:, 0]
        for i in range(2):
            direction = found.pose_vectors[:, 1 + i]
            turned = one.normals(one.project(found.locations + step * direction))
            curvature = -np.expm1(-found.principal_curvatures_log[:, i])
            # Where the surface is convex, the normal turns against the direction.
            np.testing.assert_allclose(
                (turned - normals) / step, -curvature[:, None] * direction, atol=0.05
            )

    def test_pose_vectors_are_rotations(self) -> None:
        vectors = nodes(500).pose_vectors
        product = vectors @ vectors.transpose(0, 2, 1)
        np.testing.assert_allclose(
            product, np.broadcast_to(np.eye(3), product.shape), atol=1e-12
        )
        np.testing.assert_allclose(np.linalg.det(vectors), 1, atol=1e-12)


class NodesTest(unittest.TestCase):
    def test_as_many_as_asked_for_lie_on_all_of_the_surface(self) -> None:
        for count in (1, 20, 800):
            self.assertEqual(len(nodes(count)), count)
        locations = nodes(800).locations
        on_it = np.linalg.norm(locations / thing(1).half_axes, axis=1)
        np.testing.assert_allclose(on_it, 1, atol=1e-12)
        tree = cKDTree(locations)
        spacing = np.median(tree.query(locations, k=2)[0][:, 1])
        anywhere = thing(1).project(np.random.default_rng(0).normal(size=(2000, 3)))
        self.assertLess(tree.query(anywhere)[0].max(), 3 * spacing)

    def test_the_next_node_is_about_as_near_as_in_learned_models(self) -> None:
        locations = nodes(1800).locations
        nearest = cKDTree(locations).query(locations, k=2)[0][:, 1]
        following = np.linalg.norm(np.diff(locations, axis=0), axis=1)
        self.assertTrue(1 < np.median(following) / np.median(nearest) < 2)

    def test_they_depend_on_the_seed_and_nothing_else(self) -> None:
        one, same, another = (nodes(300, seed) for seed in (5, 5, 6))
        for name, array in one.arrays().items():
            np.testing.assert_array_equal(array, same.arrays()[name])
        self.assertFalse(np.array_equal(one.locations, another.locations))

    def test_most_directions_are_defined_and_there_are_several_colours(self) -> None:
        found = nodes(800)
        self.assertTrue(0.5 < found.pose_fully_defined.mean() < 1)
        self.assertGreater(len(np.unique(found.hsv, axis=0)), 2)


class WalkTest(unittest.TestCase):
    def test_percepts_are_noisy_points_of_a_moved_and_turned_object(self) -> None:
        percepts = walk(thing(2), 200, 2, np.random.default_rng(0))
        self.assertEqual([len(one) for one in percepts], [200, 200])
        for one in percepts:
            # The locations of an ellipsoid satisfy one quadratic equation.
            x, y, z = (one.locations - one.locations.mean(axis=0)).T
            terms = [x * x, y * y, z * z, x * y, x * z, y * z, x, y, z]
            columns = np.stack(terms, axis=1)
            weights, *_ = np.linalg.lstsq(columns, np.ones(len(x)), rcond=None)
            off = np.abs(columns @ weights - 1) * 0.05  # of radii of centimetres
            self.assertLess(np.median(off), 4 * LOCATION_NOISE)
            self.assertTrue(((one.hsv >= 0) & (one.hsv <= 1)).all())

    def test_each_step_is_about_a_centimetre_and_sensors_stay_side_by_side(
        self,
    ) -> None:
        first, other = walk(thing(2), 40, 2, np.random.default_rng(0))
        strides = np.linalg.norm(np.diff(first.locations, axis=0), axis=1)
        self.assertTrue(((strides > 0.001) & (strides < 0.03)).all(), strides)
        apart = np.linalg.norm(first.locations - other.locations, axis=1)
        self.assertLess(apart.max(), 0.04)

    def test_it_begins_where_all_sensors_feel_a_pose(self) -> None:
        for seed in range(20):
            percepts = walk(thing(seed), 1, 5, np.random.default_rng(seed))
            self.assertTrue(all(one.pose_fully_defined[0] for one in percepts))

    def test_it_depends_on_the_seed_and_nothing_else(self) -> None:
        runs = [walk(thing(2), 5, 1, np.random.default_rng(1))[0] for _ in range(2)]
        for name, array in runs[0].arrays().items():
            np.testing.assert_array_equal(array, runs[1].arrays()[name])


if __name__ == "__main__":
    unittest.main()
