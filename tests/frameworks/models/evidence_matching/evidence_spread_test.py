# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import logging
import unittest
from unittest.mock import patch

import numpy as np

from tbp.monty.frameworks.models.evidence_matching import learning_module
from tbp.monty.frameworks.models.evidence_matching.evidence_spread import (
    spread_of,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
    DefaultHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)

LIMIT = 0.1


class SpreadOfTest(unittest.TestCase):
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
                numbers, highest, std = spread_of(values, LIMIT)
                np.testing.assert_array_equal(numbers, values)
                np.testing.assert_array_equal(highest, np.max(values))
                self.assertEqual(std > LIMIT, expected)
            spread += bool(expected)
        self.assertTrue(5_000 < spread < 15_000)

    def test_one_value_far_below_the_others(self) -> None:
        values = np.array([-1e9, 1.0, 2.0])
        with patch("numpy.std", return_value=7.0):  # too far for Python
            self.assertEqual(spread_of(values, LIMIT)[1:], (2.0, 7.0))

    def test_two_values_at_the_limit(self) -> None:
        for i in range(-50, 51):
            values = np.array([0.0, 2 * LIMIT * (1 + i * 1e-16)])
            self.assertEqual(
                spread_of(values, LIMIT)[2] > LIMIT, np.std(values) > LIMIT, i
            )

    def test_far_from_the_limit_numpy_is_not_asked(self) -> None:
        with patch("numpy.std", side_effect=AssertionError):
            for size in (0.1, 0.3, 5.0):
                spread_of(np.linspace(0.0, size, 10), LIMIT)

    def test_it_is_the_standard_deviation(self) -> None:
        values = np.random.default_rng(0).normal(30, 5, (100, 77))
        for some in values:
            np.testing.assert_allclose(spread_of(some, LIMIT)[2], np.std(some))


class ThresholdTest(unittest.TestCase):
    def setUp(self) -> None:
        self.lm = EvidenceGraphLM(
            max_match_distance=0.01,
            tolerances={"patch": {"hsv": np.ones(3)}},
            feature_weights={"patch": {"hsv": np.ones(3)}},
            hypotheses_updater_class=DefaultHypothesesUpdater,
        )
        self.lm.graph_memory.models_in_memory = dict.fromkeys("abc")
        evidences = np.array([1.0, 2.0, 4.0])
        self.lm.evidence_for_each_graph = lambda: (list("abc"), evidences)

    def test_numbers_are_rounded(self) -> None:
        with self.assertLogs(learning_module.logger, logging.DEBUG) as logged:
            self.lm._threshold_possible_matches()
            self.lm.current_mlh["evidence"] = np.float64(1.23456)
            self.lm.graph_memory.models_in_memory.clear()
            self.lm._calculate_most_likely_hypothesis()
        messages = [one.getMessage() for one in logged.records]
        self.assertIn("mean evidence: 2.333, std: 1.247 -> th=3.6", messages)
        self.assertIn(
            "current most likely hypothesis: new_object0 with evidence 1.23", messages
        )

    def test_nothing_is_rounded_for_messages_that_are_not_logged(self) -> None:
        learning_module.logger.setLevel(logging.WARNING)
        self.addCleanup(learning_module.logger.setLevel, logging.NOTSET)
        with patch("numpy.round", side_effect=AssertionError):
            self.assertEqual(self.lm._threshold_possible_matches(), ["c"])
            self.lm.graph_memory.models_in_memory.clear()
            self.lm._calculate_most_likely_hypothesis()

    def test_a_threshold_of_less_precision_takes_none_away(self) -> None:
        self.lm.evidence_for_each_graph = lambda: (
            list("abc"),
            np.array([10.0, 8.0000001, 1.0]),
        )
        self.lm.x_percent_threshold = np.float32(20)
        self.assertEqual(self.lm._threshold_possible_matches(), ["a", "b"])


if __name__ == "__main__":
    unittest.main()
