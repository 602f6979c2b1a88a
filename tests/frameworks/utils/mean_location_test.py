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
from typing import Any, Sequence

import numpy as np

from tbp.monty.cmp import Message, location_mean
from tbp.monty.frameworks.utils.mean_location import mean_of_one


def messages(locations: Sequence[Any]) -> list[Message]:
    return [
        Message(location, {}, {}, 1.0, True, "patch", "SM", False)
        for location in locations
    ]


class MeanLocationTest(unittest.TestCase):
    def assert_as_numpy(self, locations: Sequence[Any]) -> None:
        expected: Any = np.mean(locations, axis=0)
        actual = location_mean(messages(locations))
        assert actual is not None
        self.assertIs(type(actual), type(expected))
        self.assertEqual(actual.tobytes(), expected.tobytes())
        self.assertEqual(actual.dtype, expected.dtype)
        self.assertEqual(actual.strides, expected.strides)

    def test_bits_are_those_of_numpy(self) -> None:
        rng = np.random.default_rng(0)
        for count in (1, 2, 3):
            for _ in range(500):
                locations = rng.normal(size=(count, 3)) * 10.0 ** rng.integers(-9, 9)
                self.assert_as_numpy(list(locations))
                is_known = mean_of_one(messages(list(locations))) is not None
                self.assertEqual(is_known, count == 1)

    def test_unusual_locations_are_as_those_of_numpy(self) -> None:
        for location in (
            np.array([0.0, -0.0, 1.0]),
            np.array([[-0.0]]),
            np.array([np.nan, np.inf, -np.inf]),
            np.array([1e-320, -1e308, 5e-324]),
            np.arange(1, 4),
            np.arange(1, 4, dtype=np.float32),
            np.arange(1.0, 7.0)[::2],
            np.ma.array([1.0, 2.0, 3.0]),
            [1.0, 2.0, 3.0],
        ):
            with self.subTest(location=location):
                self.assert_as_numpy([location])

    def test_it_is_a_copy(self) -> None:
        location = np.arange(1.0, 4.0)
        mean = location_mean(messages([location]))
        assert mean is not None
        mean[0] = 7
        self.assertEqual(location[0], 1)

    def test_there_may_be_no_location(self) -> None:
        self.assertIsNone(location_mean([]))
        self.assertIsNone(location_mean(messages([None])))
