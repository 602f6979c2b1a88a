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

from monty_tools.bench.scan import SEEN, VIEWS, scan_order
from monty_tools.bench.synthetic_object import random_object


class ScanOrderTest(unittest.TestCase):
    def test_every_node_is_seen_from_somewhere(self) -> None:
        normals = np.random.default_rng(0).normal(size=(10_000, 3))
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        self.assertGreaterEqual((normals @ VIEWS.T).max(axis=1).min(), SEEN)

    def test_all_nodes_are_there_once(self) -> None:
        normals = np.random.default_rng(1).normal(size=(500, 3))
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        order = scan_order(normals * 0.05, normals, 0.004)
        np.testing.assert_array_equal(np.sort(order), np.arange(500))

    def test_a_view_is_scanned_from_the_middle_outwards(self) -> None:
        x, y = (axis.ravel() for axis in np.meshgrid(*2 * [np.arange(-5, 6)]))
        locations = np.stack([x, y, np.zeros_like(x)], axis=1) * 0.01
        normals = np.broadcast_to([0.0, 0.0, 1.0], locations.shape)
        order = scan_order(locations, normals, 0.01)
        turns = np.linalg.norm(locations[order], axis=1) // 0.01
        self.assertTrue((np.diff(turns) >= 0).all())

    def test_the_next_node_is_about_as_near_as_in_learned_models(self) -> None:
        thing = random_object(np.random.default_rng(1), most_nodes=1800)
        locations = thing.nodes(1800, np.random.default_rng(0)).locations
        nearest = cKDTree(locations).query(locations, k=2)[0][:, 1]
        following = np.linalg.norm(np.diff(locations, axis=0), axis=1)
        self.assertLess(np.median(following), 2 * np.median(nearest))
        self.assertGreater(np.median(following), np.median(nearest))
