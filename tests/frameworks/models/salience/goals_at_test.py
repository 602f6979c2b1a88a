# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import copy
import unittest

import numpy as np

from tbp.monty.cmp import Goal, encode_goal
from tbp.monty.frameworks.models.salience.goals_at import goals_at


def constructed(location: np.ndarray, confidence: float) -> Goal:
    return Goal(
        location=location,
        morphological_features=None,
        non_morphological_features=None,
        confidence=confidence,
        pass_message=False,
        sender_id="view_finder",
        sender_type="SM",
        process_features_in_lm=False,
        goal_tolerances=None,
    )


class GoalsAtTest(unittest.TestCase):
    def setUp(self) -> None:
        rng = np.random.default_rng(0)
        self.locations = rng.normal(size=(20, 3))
        self.confidences = rng.random(20)
        self.goals = goals_at(self.locations, self.confidences, "view_finder")

    def test_goals_are_as_the_constructor_makes_them(self) -> None:
        self.assertIs(type(self.goals), list)
        self.assertEqual(len(self.goals), 20)
        for i, goal in enumerate(self.goals):
            expected = constructed(self.locations[i], self.confidences[i])
            self.assertIs(type(goal), Goal)
            self.assertEqual(list(vars(goal)), list(vars(expected)))
            for name, value in vars(expected).items():
                np.testing.assert_array_equal(getattr(goal, name), value)
                self.assertIs(type(getattr(goal, name)), type(value))
            self.assertEqual(repr(goal), repr(expected))
            self.assertEqual(list(encode_goal(goal)), list(encode_goal(expected)))

    def test_goals_pass_the_checks_of_goals(self) -> None:
        for goal in self.goals:
            goal._check_all_attributes()

    def test_confidences_keep_their_type(self) -> None:
        single = self.confidences.astype(np.float32)
        for confidences, kind in ((single, np.float32), (single.tolist(), float)):
            goal = goals_at(self.locations, confidences, "view_finder")[3]
            self.assertIs(type(goal.confidence), kind)

    def test_goals_share_nothing_that_is_written_to(self) -> None:
        first, second = self.goals[:2]
        first.info["achieved"] = True
        self.assertEqual(second.info, {})

    def test_locations_are_views_of_the_locations(self) -> None:
        self.assertTrue(np.shares_memory(self.goals[7].location, self.locations[7]))

    def test_goals_can_be_copied(self) -> None:
        for copied in (copy.copy, copy.deepcopy):
            other = copied(self.goals[0])
            self.assertEqual(repr(other), repr(self.goals[0]))
            self.assertEqual(list(vars(other)), list(vars(self.goals[0])))

    def test_no_locations_have_no_goals(self) -> None:
        self.assertEqual(goals_at(np.zeros((0, 3)), np.zeros(0), "view_finder"), [])

    def test_a_confidence_too_few_is_an_error(self) -> None:
        with self.assertRaises(IndexError):
            goals_at(self.locations, self.confidences[1:], "view_finder")
