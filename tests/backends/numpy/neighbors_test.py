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
from unittest import mock

import numpy as np

from tbp.monty.backends.numpy import neighbors
from tbp.monty.backends.numpy.neighbors import nearest_nodes


class NearestNodesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.random = np.random.default_rng(0)

    def test_are_the_nearest(self) -> None:
        nodes = self.random.normal(size=(300, 3))
        points = self.random.normal(size=(2000, 3))
        self.assert_nearest(nodes, points)

    def test_are_the_first_among_equally_near_ones(self) -> None:
        nodes = self.random.integers(4, size=(200, 3)).astype(float)
        points = self.random.integers(4, size=(300, 3)).astype(float)
        self.assert_nearest(nodes, points)
        with mock.patch.object(neighbors, "_DISTANCES_AT_A_TIME", 1000):
            self.assert_nearest(nodes, points)

    def test_of_points_at_nodes_and_far_away(self) -> None:
        nodes = self.random.normal(size=(100, 3))
        self.assert_nearest(nodes, np.concatenate([nodes, nodes + 1e12]))

    def test_are_all_nodes_if_no_more_exist(self) -> None:
        nodes = self.random.normal(size=(3, 3))
        nearest = nearest_nodes(nodes, np.zeros((5, 3)), 3)
        self.assertEqual(nearest.tolist(), [[0, 1, 2]] * 5)
        self.assertEqual(nearest_nodes(nodes, np.zeros((5, 3)), 10).shape, (5, 3))

    def test_of_a_point_at_nan_are_any_nodes(self) -> None:
        nodes = self.random.normal(size=(20, 3))
        points = np.array([[np.nan, 0.0, 0.0], [0.0, 0.0, 0.0]])
        self.assertEqual(nearest_nodes(nodes, points, 4).shape, (2, 4))

    def assert_nearest(self, nodes, points) -> None:
        x, y, z = (nodes[:, i] - points[:, i, np.newaxis] for i in range(3))
        order = np.argsort((x * x + y * y) + z * z, axis=1, kind="stable")
        for count in (1, 3, 10):
            found = nearest_nodes(nodes, points, count)
            expected = np.sort(order[:, :count], axis=1)
            np.testing.assert_array_equal(np.sort(found, axis=1), expected)


if __name__ == "__main__":
    unittest.main()
