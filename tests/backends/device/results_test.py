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

from tbp.monty.backends.device.layout import RESULT
from tbp.monty.backends.device.results import KnownResults


class KnownResultsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.known = KnownResults()
        self.known.add(4)
        results = np.zeros(3, dtype=RESULT)
        results["highest"] = [5.0, 6.0, -np.inf]
        results["most_likely"] = [2, 0, -1]
        results["second_most_likely"] = [1, -1, -1]
        results["highest_slope"] = [0.5, 0.25, -np.inf]
        results["location"][0] = results["second_pose"][0, :3] = [1, 2, 3]
        self.known.keep(np.array([3, 0, 1]), results)

    def test_are_those_of_the_segment(self) -> None:
        found = self.known.of(3)
        assert found is not None
        results, position = found
        self.assertEqual(results.highest[position], 5.0)
        most_likely = results.hypothesis(position, 2)
        second = results.hypothesis(position, 1)
        assert most_likely is not None
        assert second is not None
        self.assertEqual(most_likely.evidence, 5.0)
        self.assertEqual(most_likely.location.tolist(), [1, 2, 3])
        self.assertEqual(second.pose[0].tolist(), [1, 2, 3])
        self.assertIsNone(results.hypothesis(position, 0))

    def test_a_hypothesis_is_the_askers_own(self) -> None:
        found = self.known.of(3)
        assert found is not None
        for _ in range(2):
            hypothesis = found[0].hypothesis(found[1], 2)
            assert hypothesis is not None
            self.assertEqual(hypothesis.location.tolist(), [1, 2, 3])
            hypothesis.location[:] = 0

    def test_no_place_is_that_of_a_second_one_that_is_not_known(self) -> None:
        found = self.known.of(0)
        assert found is not None
        self.assertIsNone(found[0].hypothesis(found[1], -1))

    def test_are_none_without_hypotheses_or_an_update(self) -> None:
        self.assertIsNone(self.known.of(1))
        self.assertIsNone(self.known.of(2))
        self.assertEqual(
            self.known.highest_slopes([0, 1, 2, 3]), [0.25, -np.inf, None, 0.5]
        )

    def test_slopes_are_those_of_the_segments(self) -> None:
        self.assertEqual(self.known.highest_slopes([1, 3, 0]), [-np.inf, 0.5, 0.25])
        self.assertEqual(self.known.highest_slopes([3, 0, 1]), [0.5, 0.25, -np.inf])
        self.assertEqual(self.known.highest_slopes([]), [])
        self.known.forget([0])
        self.assertEqual(self.known.highest_slopes([3, 0, 1]), [0.5, None, -np.inf])

    def test_positions_are_those_of_the_last_update(self) -> None:
        results = np.zeros(2, dtype=RESULT)
        results["highest_slope"] = [1.0, 2.0]
        some, others = np.array([0, 3]), np.array([3, 0])
        for segments in (some, others, some, some):
            self.known.keep(segments, results.copy())
            slopes = self.known.highest_slopes([0]) + self.known.highest_slopes([3])
            self.assertEqual(slopes, [1.0, 2.0] if segments is some else [2.0, 1.0])

    def test_slopes_stay_known_when_hypotheses_change(self) -> None:
        self.known.forget_most_likely([3])
        self.assertIsNone(self.known.of(3))
        self.assertIsNotNone(self.known.of(0))
        self.assertEqual(self.known.highest_slopes([3]), [0.5])

    def test_nothing_is_known_of_what_was_forgotten(self) -> None:
        self.known.forget([3])
        self.assertIsNone(self.known.of(3))
        self.assertIsNotNone(self.known.of(0))
        self.assertEqual(self.known.highest_slopes([3, 0]), [None, 0.25])


if __name__ == "__main__":
    unittest.main()
