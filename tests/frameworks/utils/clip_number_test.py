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

from tbp.monty.frameworks.utils.clip_number import clip_number


class ClipNumberTest(unittest.TestCase):
    def test_bits_and_types_are_those_of_numpy(self) -> None:
        some = [0.0, -0.0, 1.0, -1.0, np.nan, -np.nan, np.inf, -np.inf, 5e-324]
        rng = np.random.default_rng(0)
        for number in [*some, *rng.normal(size=5000), *rng.normal(size=500) * 1e300]:
            for kind in (np.float64, np.float32, float):
                with np.errstate(over="ignore"):
                    value = kind(number)
                for least, most in ((0, 1), (-0.5, 0.5)):
                    expected = np.clip(value, least, most)
                    actual = clip_number(value, least, most)
                    self.assertEqual(actual.tobytes(), expected.tobytes())
                    self.assertIs(type(actual), type(expected))

    def test_numpy_clips_everything_else(self) -> None:
        numbers = np.linspace(-2, 2, 9)
        np.testing.assert_array_equal(
            clip_number(numbers, 0, 1), np.clip(numbers, 0, 1)
        )
        self.assertEqual(clip_number(7, 0, 1), 1)
