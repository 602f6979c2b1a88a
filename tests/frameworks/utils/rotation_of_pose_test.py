# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import copy
import unittest

import numpy as np

from tbp.monty.frameworks.utils.rotation_of_pose import rotation_of_pose
from tbp.monty.geometry import Rotation


class RotationOfPoseTest(unittest.TestCase):
    def test_it_has_the_bits_of_from_matrix(self) -> None:
        rng = np.random.default_rng(0)
        for error in (0.0, 1e-7):
            for _ in range(50):
                pose = Rotation.from_rotvec(rng.normal(size=3)).as_matrix()
                pose += error * rng.normal(size=(3, 3))
                expected = Rotation.from_matrix(pose).as_quat()
                found = rotation_of_pose(pose).as_quat()
                self.assertEqual(found.tobytes(), expected.tobytes())

    def test_equal_poses_have_one_rotation_and_others_their_own(self) -> None:
        pose = np.eye(3)
        rotation = rotation_of_pose(pose)
        self.assertIs(rotation_of_pose(np.eye(3)), rotation)
        pose[:] = np.diag([1.0, -1.0, -1.0])
        np.testing.assert_array_equal(rotation_of_pose(pose).as_matrix(), pose)

    def test_a_pose_that_is_no_rotation_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            rotation_of_pose(-np.eye(3))

    def test_a_deep_copy_shares_rotations(self) -> None:
        rotation = rotation_of_pose(np.eye(3))
        self.assertIs(copy.deepcopy({"rotation": rotation})["rotation"], rotation)
