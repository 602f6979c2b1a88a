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

from monty_tools.read_goal import read_goal
from monty_tools.trace.monty import StandInMotorSystem


class _Goal:
    is_read = False

    def __init__(self, confidence: float) -> None:
        self.confidence = confidence

    @property
    def location(self) -> None:
        self.is_read = True


class ReadGoalTest(unittest.TestCase):
    def test_only_the_first_of_the_most_confident_is_read(self) -> None:
        goals = [_Goal(confidence) for confidence in (0.1, 0.7, 0.7, 0.2)]
        read_goal(goals)
        self.assertEqual([goal.is_read for goal in goals], [False, True, False, False])

    def test_there_may_be_no_goals(self) -> None:
        read_goal([])

    def test_a_replay_reads_it_like_a_motor_system(self) -> None:
        goal = _Goal(0.3)
        self.assertEqual(StandInMotorSystem()(None, {}, {}, None, [goal]), [])
        self.assertTrue(goal.is_read)
