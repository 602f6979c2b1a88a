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

from tbp.monty.frameworks.utils.one_choice import one_choice


class OneChoiceTest(unittest.TestCase):
    def test_choices_and_states_are_those_of_numpy(self) -> None:
        ours, numpys = np.random.RandomState(0), np.random.RandomState(0)
        for count in range(1, 70):
            options = [f"option {i}" for i in range(count)]
            for _ in range(50):
                self.assertEqual(one_choice(options, ours), numpys.choice(options))
                self.assertEqual(ours.normal(), numpys.normal())
        self.assertEqual(str(ours.get_state()), str(numpys.get_state()))

    def test_without_options_it_raises_as_numpy_does(self) -> None:
        with self.assertRaisesRegex(ValueError, "empty"):
            one_choice([], np.random.RandomState(0))

    def test_another_source_of_chance_chooses_itself(self) -> None:
        options = ["heads", "tails"]
        expected = np.random.default_rng(1).choice(options)
        self.assertEqual(one_choice(options, np.random.default_rng(1)), expected)
