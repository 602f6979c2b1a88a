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

from tbp.monty.frameworks.utils.small_vectors import as_rows, length


class LengthTest(unittest.TestCase):
    def check(self, vector: Any) -> None:
        expected, actual = np.linalg.norm(vector), length(vector)
        self.assertEqual(actual.tobytes(), expected.tobytes())
        self.assertIs(type(actual), type(expected))

    def test_bits_are_those_of_numpy(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(20_000):
            self.check(rng.normal(size=3) * 10.0 ** rng.integers(-150, 150))
        for count in range(20):
            self.check(rng.normal(size=count))

    def test_unusual_vectors_are_as_those_of_numpy(self) -> None:
        for vector in (
            np.zeros(3),
            np.array([np.nan, 1, 2]),
            np.array([np.inf, 1, np.nan]),
            np.arange(9.0).reshape(3, 3)[:, 1],
            np.arange(9.0)[::-1],
            np.arange(9.0).reshape(3, 3),
            np.arange(3),
            np.arange(3, dtype=np.float32),
            [0.3, 0.4, 0.5],
        ):
            with self.subTest(vector=vector):
                self.check(vector)


class AsRowsTest(unittest.TestCase):
    def test_rows_are_those_of_numpy(self) -> None:
        rng = np.random.default_rng(1)
        a, b, c = rng.normal(size=(3, 3))
        for vectors in (
            [a, b, c],
            [a, [0, 0, 0], [0, 0, 0]],
            [a[::-1], np.arange(3), rng.normal(size=(3, 3))[:, 0]],
        ):
            expected, actual = np.vstack(vectors), as_rows(vectors)
            self.assertEqual(actual.tobytes(), expected.tobytes())
            self.assertEqual(actual.dtype, expected.dtype)
            self.assertEqual(actual.strides, expected.strides)
