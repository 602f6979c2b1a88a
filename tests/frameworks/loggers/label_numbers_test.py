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
from sklearn.preprocessing import LabelEncoder

from tbp.monty.frameworks.loggers.label_numbers import LabelNumbers

LABELS = ["time_out", "no_match", "confused", "correct_mlh", "correct", "", "Correct"]


class LabelNumbersTest(unittest.TestCase):
    def test_they_are_the_numbers_of_sklearn(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(100):
            fitted = rng.choice(LABELS, size=rng.integers(1, 9)).tolist()
            asked = rng.choice(fitted, size=rng.integers(1, 9)).tolist()
            expected = LabelEncoder().fit(fitted).transform(asked)
            actual = LabelNumbers().fit(fitted).transform(asked)
            np.testing.assert_array_equal(actual, expected)
            self.assertEqual(actual.dtype, expected.dtype)

    def test_no_labels(self) -> None:
        self.assertEqual(LabelNumbers().fit(LABELS).transform([]).shape, (0,))

    def test_a_label_that_is_not_known(self) -> None:
        with self.assertRaisesRegex(ValueError, "'new'"):
            LabelNumbers().fit(LABELS).transform(["correct", "new"])
