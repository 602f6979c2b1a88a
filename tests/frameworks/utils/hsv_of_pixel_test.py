# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import itertools
import unittest

import numpy as np
from skimage.color import rgb2hsv

from tbp.monty.frameworks.utils.hsv_of_pixel import hsv_of_pixel


class HsvOfPixelTest(unittest.TestCase):
    def check(self, pixels: np.ndarray) -> None:
        for rgb in pixels:
            expected = rgb2hsv(rgb)
            actual = hsv_of_pixel(rgb)
            self.assertEqual(actual.dtype, expected.dtype)
            self.assertEqual(actual.shape, expected.shape)
            self.assertEqual(actual.tobytes(), expected.tobytes(), rgb)

    def test_it_is_the_conversion_of_skimage_bit_for_bit(self) -> None:
        rng = np.random.default_rng(0)
        self.check(rng.integers(0, 256, size=(5_000, 3)).astype(np.uint8))

    def test_colors_that_are_equally_bright(self) -> None:
        levels = (0, 1, 2, 85, 127, 254, 255)
        colors = list(itertools.product(levels, repeat=3))
        self.check(np.array(colors, dtype=np.uint8))

    def test_skimage_converts_everything_else(self) -> None:
        rng = np.random.default_rng(1)
        self.check(rng.random((50, 3)))
        self.check(rng.random((50, 3)).astype(np.float32))
        self.check(rng.integers(0, 256, size=(2, 4, 5, 3)).astype(np.uint8))
        self.check(rng.integers(0, 65_536, size=(20, 3)).astype(np.uint16))

    def test_the_pixel_is_not_changed(self) -> None:
        rgba = np.array([1, 2, 3, 4], dtype=np.uint8)
        hsv_of_pixel(rgba[:3])[:] = 0
        np.testing.assert_array_equal(rgba, [1, 2, 3, 4])
