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

from monty_tools.bench.synthetic_object import random_object


class NodesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.thing = random_object(np.random.default_rng(1), most_nodes=800)

    def nodes(self, count: int, seed: int = 0):
        return self.thing.nodes(count, np.random.default_rng(seed))

    def test_there_are_as_many_as_asked_for(self) -> None:
        for count in (1, 20, 799, 800):
            self.assertEqual(len(self.nodes(count)), count)

    def test_they_lie_on_the_surface(self) -> None:
        locations = self.nodes(500).locations
        np.testing.assert_allclose(self.thing.surface.level(locations), 1, atol=1e-12)

    def test_they_are_spread_over_all_of_it(self) -> None:
        locations = self.nodes(800).locations
        tree = cKDTree(locations)
        spacing = np.median(tree.query(locations, k=2)[0][:, 1])
        rng = np.random.default_rng(0)
        anywhere = self.thing.surface.project(rng.normal(size=(2000, 3)))
        self.assertLess(tree.query(anywhere)[0].max(), 3 * spacing)

    def test_they_depend_on_the_seed_and_nothing_else(self) -> None:
        one, same, another = (self.nodes(300, seed) for seed in (5, 5, 6))
        for name, array in one.arrays().items():
            np.testing.assert_array_equal(array, same.arrays()[name])
        self.assertFalse(np.array_equal(one.locations, another.locations))

    def test_directions_are_defined_where_curvatures_differ(self) -> None:
        nodes = self.nodes(800)
        curvatures = self.thing.surface.frames(nodes.locations).curvatures
        differ = curvatures[:, 0] - curvatures[:, 1] >= 10
        np.testing.assert_array_equal(nodes.pose_fully_defined, differ)
        self.assertTrue(0 < differ.mean() < 1)

    def test_curvatures_are_given_as_signed_logarithms(self) -> None:
        nodes = self.nodes(100)
        curvatures = self.thing.surface.frames(nodes.locations).curvatures
        logs = nodes.principal_curvatures_log
        np.testing.assert_allclose(np.sign(logs) * np.expm1(np.abs(logs)), curvatures)

    def test_it_has_several_colours(self) -> None:
        hsv = self.nodes(800).hsv
        self.assertGreater(len(np.unique(hsv, axis=0)), 2)
        self.assertTrue(((hsv >= 0) & (hsv <= 1)).all())
