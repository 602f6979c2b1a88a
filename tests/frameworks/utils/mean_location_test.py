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

from tbp.monty.frameworks.utils.mean_location import mean_location


class MeanLocationTest(unittest.TestCase):
    def assert_as_numpy(self, locations: list) -> None:
        expected = np.mean(locations, axis=0)
        actual = mean_location(locations, axis=0)
        self.assertEqual(actual.tobytes(), expected.tobytes())
        self.assertEqual(actual.dtype, expected.dtype)
        self.assertEqual(actual.strides, expected.strides)

    def test_bits_are_those_of_numpy(self) -> None:
        rng = np.random.default_rng(0)
        for count in (1, 2, 3):
            for _ in range(500):
                locations = rng.normal(size=(count, 3)) * 10.0 ** rng.integers(-9, 9)
                self.assert_as_numpy(list(locations))

    def test_unusual_locations_are_as_those_of_numpy(self) -> None:
        for location in (
            np.array([0.0, -0.0, 1.0]),
            np.array([np.nan, np.inf, -np.inf]),
            np.array([1e-320, -1e308, 5e-324]),
            np.arange(1, 4),
            np.arange(1, 4, dtype=np.float32),
            np.arange(1.0, 7.0)[::2],
            [1.0, 2.0, 3.0],
        ):
            with self.subTest(location=location):
                self.assert_as_numpy([location])

    def test_it_is_a_copy(self) -> None:
        location = np.arange(1.0, 4.0)
        mean_location([location])[0] = 7
        self.assertEqual(location[0], 1)
