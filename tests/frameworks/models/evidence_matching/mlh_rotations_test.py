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

from tbp.monty.frameworks.models.evidence_matching.mlh_rotations import MLHRotations
from tbp.monty.frameworks.utils.unused_rotation import UnusedRotation
from tbp.monty.geometry import Rotation


class MLHRotationsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.rotations = MLHRotations()
        self.pose = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix()

    def test_a_rotation_is_made_once_per_pose(self) -> None:
        first = self.rotations.of(self.pose)
        self.assertIs(self.rotations.of(self.pose.copy()), first)
        identity = self.rotations.of(np.eye(3))
        self.assertIsNot(identity, first)
        self.assertIsNot(self.rotations.of(np.where(np.eye(3), 1.0, -0.0)), identity)

    def test_few_rotations_are_kept_the_newest(self) -> None:
        angles = np.linspace(0.1, 1.0, 40).reshape(-1, 1)
        poses = Rotation.from_euler("z", angles).as_matrix()
        made = [self.rotations.of(pose) for pose in poses]
        for pose, rotation in zip(poses[-4:], made[-4:], strict=True):
            self.assertIs(self.rotations.of(pose), rotation)
        self.assertIsNot(self.rotations.of(poses[0]), made[0])

    def test_it_is_the_rotation_of_the_pose(self) -> None:
        poses = Rotation.from_euler("xyz", np.linspace(-3, 3, 30).reshape(10, 3))
        for pose in [*poses.as_matrix(), -np.zeros((3, 3)) + np.eye(3)]:
            np.testing.assert_array_equal(
                self.rotations.of(pose).as_quat(),
                Rotation.from_matrix(pose).as_quat(),
            )

    def test_changing_the_pose_later_keeps_the_rotation(self) -> None:
        first = self.rotations.of(self.pose)
        before = Rotation.from_matrix(self.pose)
        self.pose[:] = np.eye(3)
        np.testing.assert_array_equal(first.as_quat(), before.as_quat())
        self.assertIsNot(self.rotations.of(self.pose), first)

    def test_a_rotation_is_not_made_before_it_is_used(self) -> None:
        self.assertIsInstance(self.rotations.of(self.pose), UnusedRotation)

    def test_an_inverse_is_made_again_for_another_rotation(self) -> None:
        angles = np.random.default_rng(0).uniform(-180, 180, (200, 3))
        for angle in angles:
            rotation = Rotation.from_euler("xyz", angle, degrees=True)
            inverse = self.rotations.inverse_of(rotation)
            self.assertIs(self.rotations.inverse_of(rotation), inverse)
            self.assertEqual(
                inverse.as_quat().tobytes(), rotation.inv().as_quat().tobytes()
            )
