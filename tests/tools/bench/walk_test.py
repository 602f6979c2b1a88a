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

from monty_tools.bench.synthetic_object import random_object
from monty_tools.bench.walk import FLIPPED, LOCATION_NOISE, SPREAD, sense, walk


class WalkTest(unittest.TestCase):
    def setUp(self) -> None:
        self.thing = random_object(np.random.default_rng(2), most_nodes=100)
        self.places = walk(self.thing, 40, 5, np.random.default_rng(0))

    def test_every_sensor_is_on_the_surface_at_every_step(self) -> None:
        self.assertEqual([p.shape for p in self.places], [(40, 3)] * 5)
        for places in self.places:
            np.testing.assert_allclose(self.thing.surface.level(places), 1, atol=1e-12)

    def test_each_step_is_about_a_centimetre(self) -> None:
        strides = np.linalg.norm(np.diff(self.places[0], axis=0), axis=1)
        self.assertTrue(((strides > 0.005) & (strides < 0.02)).all(), strides)

    def test_the_sensors_stay_side_by_side(self) -> None:
        for places in self.places[1:]:
            apart = np.linalg.norm(places - self.places[0], axis=1)
            self.assertTrue(((apart > 0) & (apart < 2 * SPREAD)).all(), apart)

    def test_it_begins_where_all_sensors_feel_a_pose(self) -> None:
        for seed in range(5):
            rng = np.random.default_rng(seed)
            percepts = sense(self.thing, walk(self.thing, 2, 5, rng), rng)
            self.assertTrue(all(p.pose_fully_defined[0] for p in percepts))


class SenseTest(unittest.TestCase):
    def setUp(self) -> None:
        self.thing = random_object(np.random.default_rng(2), most_nodes=100)
        self.places = walk(self.thing, 200, 2, np.random.default_rng(0))
        self.percepts = sense(self.thing, self.places, np.random.default_rng(1))

    def test_the_object_was_only_moved_and_turned_apart_from_noise(self) -> None:
        for places, percepts in zip(self.places, self.percepts, strict=True):
            pairs = np.random.default_rng(0).integers(200, size=(2, 300))
            real = np.linalg.norm(places[pairs[0]] - places[pairs[1]], axis=1)
            seen = percepts.locations
            felt = np.linalg.norm(seen[pairs[0]] - seen[pairs[1]], axis=1)
            self.assertLess(np.abs(real - felt).max(), 10 * LOCATION_NOISE)

    def test_pose_vectors_stay_rotations(self) -> None:
        vectors = self.percepts[0].pose_vectors
        np.testing.assert_allclose(
            vectors @ vectors.transpose(0, 2, 1),
            np.broadcast_to(np.eye(3), vectors.shape),
            atol=1e-12,
        )
        np.testing.assert_allclose(np.linalg.det(vectors), 1, atol=1e-12)

    def test_the_noise_is_there_and_small(self) -> None:
        ideal = self.thing.observe(self.places[0])
        percepts = self.percepts[0]
        curvature_noise = (
            percepts.principal_curvatures_log - ideal.principal_curvatures_log
        )
        self.assertTrue(0.05 < curvature_noise.std() < 0.2)
        flipped = percepts.pose_fully_defined != ideal.pose_fully_defined
        self.assertLess(flipped.mean(), 5 * FLIPPED)
        self.assertTrue(((percepts.hsv >= 0) & (percepts.hsv <= 1)).all())

    def test_it_depends_on_the_seed_and_nothing_else(self) -> None:
        same = sense(self.thing, self.places, np.random.default_rng(1))
        for one, other in zip(self.percepts, same, strict=True):
            for name, array in one.arrays().items():
                np.testing.assert_array_equal(array, other.arrays()[name])
