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

    def test_a_rotation_is_made_once_per_graph_and_pose(self) -> None:
        first = self.rotations.of("mug", self.pose)
        other = self.rotations.of("bowl", self.pose)
        self.assertIs(self.rotations.of("mug", self.pose.copy()), first)
        self.assertIsNot(other, first)

    def test_two_rotations_of_a_graph_are_kept(self) -> None:
        poses = Rotation.from_euler("z", [[0.1], [0.2], [0.3]]).as_matrix()
        first, second = (self.rotations.of("mug", pose) for pose in poses[:2])
        self.assertIs(self.rotations.of("mug", poses[1]), second)
        self.assertIs(self.rotations.of("mug", poses[0]), first)
        self.rotations.of("mug", poses[2])
        self.assertIs(self.rotations.of("mug", poses[0]), first)
        self.assertIsNot(self.rotations.of("mug", poses[1]), second)

    def test_it_is_the_rotation_of_the_pose(self) -> None:
        poses = Rotation.from_euler("xyz", np.linspace(-3, 3, 30).reshape(10, 3))
        for pose in [*poses.as_matrix(), -np.zeros((3, 3)) + np.eye(3)]:
            np.testing.assert_array_equal(
                self.rotations.of("mug", pose).as_quat(),
                Rotation.from_matrix(pose).as_quat(),
            )

    def test_changing_the_pose_later_keeps_the_rotation(self) -> None:
        first = self.rotations.of("mug", self.pose)
        before = Rotation.from_matrix(self.pose)
        self.pose[:] = np.eye(3)
        np.testing.assert_array_equal(first.as_quat(), before.as_quat())
        self.assertIsNot(self.rotations.of("mug", self.pose), first)

    def test_a_rotation_is_not_made_before_it_is_used(self) -> None:
        self.assertIsInstance(self.rotations.of("mug", self.pose), UnusedRotation)

    def test_an_inverse_is_made_again_for_another_rotation(self) -> None:
        angles = np.random.default_rng(0).uniform(-180, 180, (200, 3))
        for angle in angles:
            rotation = Rotation.from_euler("xyz", angle, degrees=True)
            inverse = self.rotations.inverse_of(rotation)
            self.assertIs(self.rotations.inverse_of(rotation), inverse)
            self.assertEqual(
                inverse.as_quat().tobytes(), rotation.inv().as_quat().tobytes()
            )

    def test_a_matrix_is_that_of_the_rotation_and_can_be_changed(self) -> None:
        angles = np.random.default_rng(1).uniform(-180, 180, (200, 3))
        for angle in angles:
            rotation = Rotation.from_euler("xyz", angle, degrees=True)
            for _ in range(2):
                matrix = self.rotations.matrix_of(rotation)
                self.assertEqual(matrix.tobytes(), rotation.as_matrix().tobytes())
                self.assertTrue(matrix.flags.c_contiguous)
                matrix[:] = 0.0
