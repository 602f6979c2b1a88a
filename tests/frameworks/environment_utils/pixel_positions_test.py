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
import numpy.testing as npt

from tbp.monty.frameworks.environment_utils.pixel_positions import pixel_positions


class PixelPositionsTest(unittest.TestCase):
    def test_positions_go_to_the_right_and_up(self) -> None:
        x, y = pixel_positions(3, 2)
        npt.assert_array_equal(x, [[[-1, 0, 1], [-1, 0, 1]]])
        npt.assert_array_equal(y, [[[1, 1, 1], [-1, -1, -1]]])

    def test_positions_are_those_of_a_mesh(self) -> None:
        for width in (1, 2, 3, 17, 64, 70):
            for height in (1, 2, 64):
                mesh = np.meshgrid(
                    np.linspace(-1, 1, width), np.linspace(1, -1, height)
                )
                actual = np.array(pixel_positions(width, height))
                npt.assert_array_equal(actual[:, 0], mesh)
                self.assertEqual(actual.dtype, np.float64)

    def test_positions_are_kept_and_cannot_be_written_to(self) -> None:
        self.assertIs(pixel_positions(8, 8), pixel_positions(8, 8))
        for kept in pixel_positions(8, 8):
            with self.assertRaises(ValueError):
                kept[0, 0, 0] = 0

    def test_few_positions_are_kept(self) -> None:
        first = pixel_positions(5, 5)
        for width in range(6, 40):
            pixel_positions(width, 5)
        self.assertIsNot(pixel_positions(5, 5), first)
