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
from dataclasses import replace

import numpy as np

from tbp.monty.backends.numpy.numbers import UnusableNumbers, check_hypotheses
from tests.backends.numpy.scenes import random_scene


class CheckHypothesesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.hypotheses = random_scene(1, hypotheses=50).hypotheses["object_0"]

    def test_usable_hypotheses_pass(self) -> None:
        check_hypotheses(self.hypotheses)

    def test_the_fault_is_named(self) -> None:
        names = dict(evidence="evidence", locations="location", poses="pose")
        for column, name in names.items():
            for value in (np.nan, np.inf, -np.inf, 1e200):
                with self.subTest(name=name, value=value):
                    values = getattr(self.hypotheses, column).copy()
                    values[7] = value
                    with self.assertRaisesRegex(
                        UnusableNumbers, f"the {name} of hypothesis 7 of .* finite"
                    ):
                        check_hypotheses(replace(self.hypotheses, **{column: values}))


if __name__ == "__main__":
    unittest.main()
