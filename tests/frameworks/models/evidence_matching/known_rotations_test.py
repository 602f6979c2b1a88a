# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
from __future__ import annotations

import unittest

import numpy as np
import numpy.testing as npt

from tbp.monty.frameworks.models.evidence_matching.known_rotations import rotation_of
from tbp.monty.geometry import Rotation


class RotationOfTest(unittest.TestCase):
    def test_it_is_the_rotation_of_the_matrix_made_once(self) -> None:
        for angle in (0.0, 10.0, 200.0):
            # As a row of a larger array, and a view that is not contiguous.
            pose = Rotation.from_euler("xyz", [angle, 5, 7], degrees=True).as_matrix()
            poses = np.asfortranarray([pose, pose.T])
            for one in poses:
                expected = Rotation.from_matrix(one).as_matrix()
                npt.assert_array_equal(rotation_of(one).as_matrix(), expected)
                self.assertIs(rotation_of(one), rotation_of(one.copy()))

    def test_a_pose_that_changes_is_another_one(self) -> None:
        pose = np.eye(3)
        before = rotation_of(pose)
        pose[:] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
        npt.assert_array_equal(before.as_matrix(), np.eye(3))
        npt.assert_allclose(rotation_of(pose).as_matrix(), pose, atol=1e-15)

    def test_a_pose_that_is_no_rotation_is_an_error_each_time(self) -> None:
        for _ in range(2):
            with self.assertRaises(ValueError):
                rotation_of(-np.eye(3))
