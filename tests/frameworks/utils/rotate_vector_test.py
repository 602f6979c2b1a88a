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

import numpy as np
import quaternion as qt

from tbp.monty.frameworks.utils.rotate_vector import rotate_vector


class RotateVectorTest(unittest.TestCase):
    def check(self, rotation: Any, vector: Any) -> None:
        expected = qt.rotate_vectors(rotation, vector)
        actual = rotate_vector(rotation, vector)
        self.assertEqual(actual.dtype, expected.dtype)
        self.assertEqual(actual.shape, expected.shape)
        self.assertEqual(actual.tobytes(), expected.tobytes())

    def test_it_is_the_rotation_of_the_library_bit_for_bit(self) -> None:
        rng = np.random.default_rng(0)
        some = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 1e-200])
        for _ in range(2_000):
            rotation = qt.quaternion(*rng.normal(size=4))
            self.check(rotation, rng.normal(size=3))
            self.check(rotation.normalized(), rng.normal(size=3))
            self.check(qt.quaternion(1.0, *rng.choice(some, 3)), rng.choice(some, 3))

    def test_it_is_as_the_library_of_any_size(self) -> None:
        rng = np.random.default_rng(3)
        some = np.array([0.0, -0.0, np.nan, np.inf, -1e200, 1e-300])
        with np.errstate(all="ignore"):
            for _ in range(2_000):
                parts = rng.normal(size=4) * 10.0 ** rng.integers(-160, 160)
                self.check(qt.quaternion(*parts), rng.normal(size=3))
                parts[rng.integers(4)] = rng.choice(some)
                self.check(qt.quaternion(*parts), rng.normal(size=3))

    def test_zeros_of_both_signs_are_two_rotations(self) -> None:
        for zero in (0.0, -0.0):
            self.check(qt.quaternion(1.0, zero, 0.0, zero), [zero, 1.0, -zero])

    def test_views_and_lists_are_vectors(self) -> None:
        rotation = qt.quaternion(0.5, 0.5, -0.5, 0.5)
        self.check(rotation, np.arange(9.0).reshape(3, 3)[:, 1])
        self.check(rotation, [1, 2, 3])
        self.check(np.array(rotation), (1.0, 2.0, 3.0))

    def test_the_result_can_be_changed(self) -> None:
        rotation, vector = qt.quaternion(1, 0, 0, 0), np.ones(3)
        rotate_vector(rotation, vector)[:] = 5
        self.check(rotation, vector)
        np.testing.assert_array_equal(vector, np.ones(3))

    def test_the_library_rotates_everything_else(self) -> None:
        rotations = qt.as_quat_array(np.random.default_rng(1).normal(size=(4, 4)))
        vectors = np.random.default_rng(2).normal(size=(5, 3))
        self.check(rotations, vectors)
        self.check(rotations[0], vectors)
        self.check(rotations, vectors[0])
        with self.assertRaises(ValueError):
            rotate_vector(rotations[0], np.zeros(4))
        with self.assertRaises(ZeroDivisionError):
            rotate_vector(qt.quaternion(0, 0, 0, 0), np.zeros(3))
