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

from tbp.monty.backends.numpy.new_hypotheses import (
    aligning_poses,
    best_nodes,
    hypotheses_at,
    sensed_frames,
)
from tbp.monty.frameworks.utils.graph_matching_utils import possible_sensed_directions
from tests.backends.numpy.scenes import random_frames
from tests.backends.numpy.upstream import pose_vectors_of


class SensedFramesTest(unittest.TestCase):
    def test_equal_upstreams_to_the_last_bit(self) -> None:
        random = np.random.default_rng(5)
        for frame in random_frames(random, 20):
            for count in (1, 2, 3, 8):
                expected = possible_sensed_directions(pose_vectors_of(frame), count)
                np.testing.assert_array_equal(sensed_frames(frame, count), expected)


class BestNodesTest(unittest.TestCase):
    def test_are_those_with_the_highest_scores(self) -> None:
        scores = np.array([0.5, 0.9, 0.1, 0.7])
        self.assertEqual(best_nodes(scores, 2).tolist(), [3, 1])
        self.assertEqual(best_nodes(scores, 4).tolist(), [2, 0, 3, 1])

    def test_are_empty_if_none_are_requested(self) -> None:
        self.assertEqual(len(best_nodes(np.zeros(3), 0)), 0)


class AligningPosesTest(unittest.TestCase):
    def test_rotate_sensed_frames_onto_stored_frames(self) -> None:
        random = np.random.default_rng(3)
        stored, sensed = random_frames(random, 4), random_frames(random, 2)
        poses = aligning_poses(stored, sensed)
        for i, pose in enumerate(poses):
            turned = sensed[i // 4] @ pose.T
            np.testing.assert_allclose(turned, stored[i % 4], atol=1e-12)


class HypothesesAtTest(unittest.TestCase):
    def test_have_all_nodes_in_each_pose(self) -> None:
        locations = np.arange(6.0).reshape(2, 3)
        poses = np.zeros((6, 3, 3))
        rows = hypotheses_at(locations, np.array([0.5, 0.7]), poses)
        self.assertEqual(rows.evidence.tolist(), [0.5, 0.7] * 3)
        np.testing.assert_array_equal(rows.locations[2:4], locations)
        self.assertFalse(rows.possible.any())

    def test_are_empty_without_nodes(self) -> None:
        rows = hypotheses_at(np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3, 3)))
        self.assertEqual(len(rows), 0)
        self.assertEqual(rows.locations.shape, (0, 3))


if __name__ == "__main__":
    unittest.main()
