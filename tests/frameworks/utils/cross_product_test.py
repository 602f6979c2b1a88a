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

from tbp.monty.frameworks.utils.cross_product import cross_product


class CrossProductTest(unittest.TestCase):
    def check(self, first: np.ndarray, second: np.ndarray) -> None:
        expected = np.cross(first, second)
        actual = cross_product(first, second)
        self.assertEqual(actual.dtype, expected.dtype)
        self.assertEqual(actual.shape, expected.shape)
        self.assertEqual(actual.tobytes(), expected.tobytes())

    def test_it_is_the_product_of_numpy_bit_for_bit(self) -> None:
        rng = np.random.default_rng(0)
        some = np.array([0.0, -0.0, 1.0, -1.0, 1e-320, 1e-200, 1e200])
        with np.errstate(all="ignore"):
            for _ in range(5_000):
                self.check(*rng.normal(size=(2, 3)))
                self.check(*rng.choice(some, size=(2, 3)))

    def test_views_are_vectors(self) -> None:
        vectors = np.random.default_rng(1).normal(size=(3, 4))
        self.check(vectors[:, 0], vectors[::-1, 2])

    def test_the_vectors_are_not_changed(self) -> None:
        vectors = np.eye(3)
        cross_product(vectors[0], vectors[1])[:] = 5
        np.testing.assert_array_equal(vectors, np.eye(3))

    def test_numpy_multiplies_everything_else(self) -> None:
        rows = np.random.default_rng(2).normal(size=(2, 5, 3))
        self.check(*rows)
        self.check(rows[0], rows[1, 0])
        self.check(*rows.astype(np.float32)[:, 0])
        self.check(np.array([1, 2, 3]), np.array([4, 5, 6]))
        np.testing.assert_array_equal(cross_product([1, 0, 0], (0, 1, 0)), [0, 0, 1])
        with self.assertRaises(ValueError):
            cross_product(np.zeros(4), np.zeros(3))
