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
from unittest.mock import patch

import numpy as np

from tbp.monty.frameworks.models.evidence_matching.evidence_spread import (
    MeanAndStd,
    Rounded,
    highest_and_std,
    ids_above,
)

LIMIT = 0.1


class HighestAndStdTest(unittest.TestCase):
    def test_it_is_on_the_side_of_the_limit_that_numpy_says(self) -> None:
        rng = np.random.default_rng(0)
        spread = 0
        for i in range(20_000):
            size = 10.0 ** rng.uniform(-4, 2)
            values = rng.normal(rng.choice([0.0, 30.0, 1e5, 1e9]), size, i % 80 + 1)
            if i % 7 == 0:
                values[i % len(values)] = rng.choice([np.nan, np.inf, -np.inf])
            with np.errstate(invalid="ignore"):
                expected = np.std(values) > LIMIT
                highest, std = highest_and_std(values, LIMIT)
                np.testing.assert_array_equal(highest, np.max(values))
                self.assertEqual(std > LIMIT, expected)
            spread += bool(expected)
        self.assertTrue(5_000 < spread < 15_000)

    def test_two_values_at_the_limit(self) -> None:
        for i in range(-50, 51):
            values = np.array([0.0, 2 * LIMIT * (1 + i * 1e-16)])
            self.assertEqual(
                highest_and_std(values, LIMIT)[1] > LIMIT, np.std(values) > LIMIT, i
            )

    def test_far_from_the_limit_numpy_is_not_asked(self) -> None:
        with patch("numpy.std", side_effect=AssertionError):
            for size in (0.1, 0.3, 5.0):
                highest_and_std(np.linspace(0.0, size, 10), LIMIT)

    def test_it_is_the_standard_deviation(self) -> None:
        values = np.random.default_rng(0).normal(30, 5, (100, 77))
        for some in values:
            np.testing.assert_allclose(highest_and_std(some, LIMIT)[1], np.std(some))

    def test_for_a_log(self) -> None:
        text = str(MeanAndStd(np.array([1.0, 2.0, 4.0])))
        self.assertEqual(text, "mean evidence: 2.333, std: 1.247")
        for value in (np.float64(1.23456), 0, 1e300, np.nan, -0.0):
            self.assertEqual(str(Rounded(value, 2)), f"{np.round(value, 2)}")


class IdsAboveTest(unittest.TestCase):
    def test_are_those_that_a_loop_finds(self) -> None:
        rng = np.random.default_rng(0)
        for count in (0, 1, 2, 10, 77):
            ids = [f"object_{i}" for i in range(count)]
            evidences = np.round(rng.normal(size=count), 1)
            evidences[3:4] = np.nan
            for threshold in (0, -0.1, 0.5, np.float64(0.3), 10.0):
                some = evidences.tolist()
                expected = [ids[i] for i in range(count) if some[i] > threshold]
                self.assertEqual(ids_above(ids, evidences, threshold), expected)


if __name__ == "__main__":
    unittest.main()
