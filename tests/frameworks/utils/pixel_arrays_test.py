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

from tbp.monty.frameworks.utils.pixel_arrays import computed_once, pixel_grid


class PixelArraysTest(unittest.TestCase):
    def test_an_array_is_computed_once_per_arguments(self) -> None:
        calls = []

        @computed_once
        def zeros(count: int, more: int = 0) -> np.ndarray:
            calls.append((count, more))
            return np.zeros(count + more)

        self.assertIs(zeros(3), zeros(3))
        self.assertEqual(zeros(3, more=1).shape, (4,))
        self.assertEqual(calls, [(3, 0), (3, 1)])
        with self.assertRaisesRegex(ValueError, "read-only"):
            zeros(3)[0] = 1

    def test_the_grid_of_an_image(self) -> None:
        x, y = pixel_grid(2, 3)
        np.testing.assert_array_equal(x, [[-1, 0, 1]] * 2)
        np.testing.assert_array_equal(y, [[1] * 3, [-1] * 3])
