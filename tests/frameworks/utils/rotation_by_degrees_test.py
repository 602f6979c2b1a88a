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
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from tbp.monty.frameworks.utils import rotation_by_degrees as module
from tbp.monty.frameworks.utils.rotation_by_degrees import RotationByDegrees

SPECIAL = [0.0, -0.0, 1e-320, -1e-200, 1e-90, 45.0, -90.0, 180.0, 360.0, 1e9, 1e308]
ANGLES = np.array([1.0, -2.0, 3.0])


class RotationByDegreesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.rng = np.random.default_rng(0)

    def assert_as_scipy(self, vectors: Any, angles: npt.NDArray[np.float64]) -> None:
        expected = Rotation.from_euler("xyz", angles, degrees=True).apply(vectors)
        before = np.copy(vectors)
        actual = RotationByDegrees(angles).apply(vectors)
        self.assertEqual(actual.tobytes(), expected.tobytes())
        self.assertEqual(actual.dtype, expected.dtype)
        self.assertEqual(actual.strides, expected.strides)
        np.testing.assert_array_equal(vectors, before)

    def vectors(self) -> npt.NDArray[np.float64]:
        return np.linalg.qr(self.rng.normal(size=(3, 3)))[0]

    def test_bits_are_those_of_scipy(self) -> None:
        for _ in range(3000):
            angles = self.rng.normal(0, self.rng.choice([0.01, 2, 200]), 3)
            self.assert_as_scipy(self.vectors(), angles)

    def test_bits_are_those_of_scipy_at_special_angles(self) -> None:
        for _ in range(1000):
            is_special = self.rng.random(3) < 0.6
            special = self.rng.choice(SPECIAL, 3)
            angles = np.where(is_special, special, self.rng.normal(0, 90, 3))
            self.assert_as_scipy(self.vectors(), angles)

    def test_other_vectors_are_turned_as_by_scipy(self) -> None:
        vectors = self.vectors()
        for other in (
            np.asfortranarray(vectors),
            vectors[::-1],
            np.repeat(vectors, 2, axis=1)[:, ::2],
            vectors.astype(np.float32),
            np.eye(3, dtype=int),
            vectors[:2],
            vectors[0],
            vectors.tolist(),
        ):
            self.assert_as_scipy(other, ANGLES)

    def test_nothing_is_made_by_scipy(self) -> None:
        with self.without_scipy() as from_euler:
            RotationByDegrees(ANGLES).apply(self.vectors())
        from_euler.assert_not_called()

    def test_scipy_decides_about_zeros_and_what_is_not_finite(self) -> None:
        for number in (0.0, np.inf, -np.inf, np.nan):
            angles = np.array([0.1, number, 0.2])
            with self.without_scipy() as from_euler:
                RotationByDegrees(angles).apply(self.vectors())
            from_euler.assert_called_once_with("xyz", angles, degrees=True)

    def test_releases_that_were_not_compared_turn_them(self) -> None:
        is_not = patch.object(module, "_IS_COMPARED", False)
        with is_not, self.without_scipy() as from_euler:
            RotationByDegrees(ANGLES).apply(self.vectors())
        from_euler.assert_called_once()

    @staticmethod
    def without_scipy() -> Any:
        return patch.object(module.Rotation, "from_euler")
