# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import json
import unittest

import numpy as np

from tbp.monty.cmp import Goal
from tbp.monty.frameworks.models.buffer import BufferEncoder
from tbp.monty.frameworks.models.goals import (
    Goals,
    GoalsOfSensor,
    goals_from,
    highest_confidence,
)


def constructed(
    location: np.ndarray, confidence: float, sender_type: str = "SM"
) -> Goal:
    return Goal(
        location=location,
        morphological_features=None,
        non_morphological_features=None,
        confidence=confidence,
        pass_message=False,
        sender_id="view_finder",
        sender_type=sender_type,
        process_features_in_lm=False,
        goal_tolerances=None,
    )


class GoalsOfSensorTest(unittest.TestCase):
    def setUp(self) -> None:
        rng = np.random.default_rng(0)
        self.locations = rng.normal(size=(20, 3))
        self.confidences = rng.random(20).astype(np.float32)
        self.goals = GoalsOfSensor(self.locations, self.confidences, "view_finder")

    def test_goals_are_as_the_constructor_makes_them(self) -> None:
        self.assertEqual(len(self.goals), 20)
        for i, goal in enumerate(self.goals):
            expected = constructed(self.locations[i], self.confidences[i])
            self.assertEqual(repr(goal), repr(expected))
            self.assertIs(type(goal.confidence), np.float32)

    def test_they_are_read_as_from_a_list(self) -> None:
        goals = [*self.goals]
        for one in (self.goals, Goals(self.goals)):
            self.assertEqual(one[1:-1:3], goals[1:-1:3])
            self.assertIs(one[-1], goals[-1])
            with self.assertRaises(IndexError):
                one[20]

    def test_only_what_is_read_is_made(self) -> None:
        passed = Goals([constructed(self.locations[0], 1.0, "GSG")], self.goals)
        chosen = highest_confidence(goals_from(Goals(passed), "SM"))
        self.assertEqual([*self.goals._made.values()], [chosen])
        self.assertIs(chosen, self.goals[int(np.argmax(self.confidences))])

    def test_goals_can_be_encoded(self) -> None:
        text = json.dumps([self.goals], cls=BufferEncoder)
        self.assertEqual(text, json.dumps([list(self.goals)], cls=BufferEncoder))


def ranked(goals: list[Goal]) -> list[Goal]:
    return sorted(goals, key=lambda goal: goal.confidence, reverse=True)


class ChoiceTest(unittest.TestCase):
    """The same goal is chosen among arrays and objects as in a list of objects."""

    def test_random_goals_of_several_senders(self) -> None:
        rng = np.random.default_rng(5)
        for _ in range(300):
            goals, every = Goals(), []
            for _ in range(rng.integers(1, 5)):
                count = int(rng.integers(0, 6))
                # Few values, so that several goals have the highest confidence.
                confidences = rng.integers(0, 4, size=count) / 4
                locations = rng.normal(size=(count, 3))
                part = GoalsOfSensor(locations, confidences, "view_finder")
                kind = "GSG" if rng.random() < 0.5 else "SM"
                of_kind = [*map(constructed, locations, confidences, [kind] * 9)]
                added = part if rng.random() < 0.5 else of_kind
                goals.extend(added)
                every += added
            for read in (goals, every):
                self.check(read, every)

    def check(self, goals: Goals | list[Goal], every: list[Goal]) -> None:
        self.assertEqual([*goals], every)
        self.assertEqual(len(goals), len(every))
        if every:
            self.assertIs(highest_confidence(goals), ranked(every)[0])
        for kind in ("GSG", "SM"):
            of_kind = [goal for goal in every if goal.sender_type == kind]
            found = goals_from(goals, kind)
            self.assertEqual([*found], of_kind)
            self.assertEqual(bool(found), bool(of_kind))
            if of_kind:
                self.assertIs(highest_confidence(found), ranked(of_kind)[0])
