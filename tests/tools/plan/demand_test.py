# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Counting what a GPU is asked for leaves the learning modules as they were."""

from __future__ import annotations

import unittest

from monty_tools.plan.demand import demand_of
from monty_tools.plan.synthetic import synthetic


class DemandTest(unittest.TestCase):
    def test_the_same_learning_modules_ask_for_the_same_again(self) -> None:
        planned = synthetic(2, 2, 50, "default", shares_objects=False)
        first, second = (demand_of(planned, "float64") for _ in range(2))
        self.assertGreater(first.most.hypotheses, first.later.hypotheses)
        self.assertEqual(first, second)


if __name__ == "__main__":
    unittest.main()
