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
    is_near_rotation,
    rotation_of_matrix,
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
            answer = module._is_orthogonal(matrix.tolist())
            found[answer] += 1
            self.assertEqual(is_near_rotation(matrix), answer is not None)
            self.assert_as_scipy(matrix)
        for answer in (True, False, None):
            self.assertGreater(found[answer], 30)

    def test_one_row_may_be_too_long_or_too_short(self) -> None:
        for row in range(3):
            for length in (0.9999, 1.0001):
                matrix = np.eye(3)
                matrix[row] *= length
                with self.subTest(row=row, length=length):
                    self.assertIs(module._is_orthogonal(matrix.tolist()), False)
                    self.assert_as_scipy(matrix)

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
