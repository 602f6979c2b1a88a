# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The goal that is chosen is the one that upstream chooses."""

from __future__ import annotations

import unittest
from types import SimpleNamespace
from typing import Any

import numpy as np

from tbp.monty.frameworks.models import motor_policy_selectors
from tests.fork.upstream_module import upstream_module


class ChosenGoalTest(unittest.TestCase):
    def test_of_goals_with_the_highest_confidence_the_first_is_chosen(self) -> None:
        upstream = upstream_module("frameworks.models.motor_policy_selectors")
        rng = np.random.default_rng(8)
        for _ in range(1_000):
            confidences = np.round(rng.random(int(rng.integers(1, 40))), 1)
            goals: list[Any] = [
                SimpleNamespace(confidence=one)
                for one in (confidences - 0.5).astype(
                    rng.choice([np.float32, np.float64])
                )
            ]
            chosen = motor_policy_selectors.highest_confidence_goal(goals)
            self.assertIs(chosen, upstream.highest_confidence_goal(goals))
