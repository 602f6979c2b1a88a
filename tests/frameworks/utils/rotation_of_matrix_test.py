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
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from tbp.monty.frameworks.utils import rotation_of_matrix as module
from tbp.monty.frameworks.utils.rotation_of_matrix import (
    rotation_of_matrix,
    rotations_of_matrices,
)
from tbp.monty.geometry import Rotation as MontyRotation


def _disturbed(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return a matrix that is orthogonal to a random number of digits."""
    matrix = Rotation.random(random_state=rng.integers(1 << 30)).as_matrix()
    return matrix + rng.normal(size=(3, 3)) * 10.0 ** rng.uniform(-18, -0.5)


class RotationOfMatrixTest(unittest.TestCase):
    def assert_as_scipy(self, matrix: Any) -> None:
        try:
            expected = Rotation.from_matrix(matrix)
        except ValueError as error:
            with self.assertRaises(ValueError) as caught:
                rotation_of_matrix(matrix)
            self.assertEqual(str(caught.exception), str(error))
            return
        for actual in (
            rotation_of_matrix(matrix),
            MontyRotation.from_matrix(matrix).as_scipy_rotation(),
        ):
            self.assertIs(type(actual), Rotation)
            self.assertEqual(actual.single, expected.single)
            self.assertEqual(
                actual.as_quat().tobytes(), expected.as_quat().tobytes(), str(matrix)
            )

    def test_bits_are_those_of_scipy(self) -> None:
        rng = np.random.default_rng(0)
        found: Counter[bool | None] = Counter()
        for _ in range(1500):
            matrix = _disturbed(rng)
            found[module._is_orthogonal(matrix.tolist())] += 1
            self.assert_as_scipy(matrix)
        for answer in (True, False, None):
            self.assertGreater(found[answer], 30)

    def test_many_at_once_have_the_same_bits(self) -> None:
        rng = np.random.default_rng(1)
        for count in (1, 2, 7, 50):
            for is_learned in (False, True):
                matrices = np.array([_disturbed(rng) for _ in range(count)])
                if is_learned:  # models have single precision
                    turned = Rotation.random(count, random_state=count).as_matrix()
                    matrices = turned.astype(np.float32).astype(np.float64)
                before = matrices.copy()
                actual = rotations_of_matrices(matrices)
                self.assertEqual(len(actual), count)
                self.assertEqual(matrices.tobytes(), before.tobytes())
                for rotation, matrix in zip(actual, matrices, strict=True):
                    expected = Rotation.from_matrix(matrix)
                    self.assertTrue(rotation.single)
                    for of in (Rotation.as_quat, Rotation.as_matrix):
                        self.assertEqual(of(rotation).tobytes(), of(expected).tobytes())
                        self.assertEqual(
                            of(rotation.inv()).tobytes(), of(expected.inv()).tobytes()
                        )

    def test_matrices_that_are_no_rotations_are_as_those_of_scipy(self) -> None:
        for matrix in (
            np.diag([1.0, 1.0, -1.0]),
            -np.eye(3),
            np.zeros((3, 3)),
            np.eye(3) * 2,
            np.full((3, 3), np.nan),
            np.full((3, 3), np.inf),
            np.eye(4),
            np.zeros((0, 3, 3)),
        ):
            with self.subTest(matrix=matrix):
                self.assert_as_scipy(matrix)

    def test_other_forms_are_as_those_of_scipy(self) -> None:
        turned = Rotation.from_euler("xyz", [0.1, -2.0, 0.7]).as_matrix()
        for matrix in (
            turned.tolist(),
            turned.astype(np.float32),
            np.asfortranarray(turned),
            np.stack([turned, turned.T]),
            turned[None],
            np.eye(3, dtype=int),
        ):
            with self.subTest(matrix=matrix):
                self.assert_as_scipy(matrix)
