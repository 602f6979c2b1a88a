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
import json
import unittest

import numpy as np

from tbp.monty.cmp import Goal, encode_goal
from tbp.monty.frameworks.models.buffer import BufferEncoder
from tbp.monty.frameworks.models.goals import (
    Goals,
    goals_at,
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


class GoalsTest(unittest.TestCase):
    def setUp(self) -> None:
        rng = np.random.default_rng(0)
        self.locations = rng.normal(size=(20, 3))
        self.confidences = rng.random(20)
        self.goals = goals_at(self.locations, self.confidences, "view_finder")

    def test_goals_are_as_the_constructor_makes_them(self) -> None:
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
        goal = goals_at(self.locations, single, "view_finder")[3]
        self.assertIs(type(goal.confidence), np.float32)

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
        goals = goals_at(np.zeros((0, 3)), np.zeros(0), "view_finder")
        self.assertEqual(goals, [])
        self.assertFalse(goals)

    def test_every_goal_needs_a_confidence(self) -> None:
        with self.assertRaisesRegex(IndexError, "19 confidences, 20 locations"):
            goals_at(self.locations, self.confidences[:19], "view_finder")
        more = np.append(self.confidences, 2.0)
        goals = goals_at(self.locations, more, "view_finder")
        self.assertLess(highest_confidence(goals).confidence, 1)

    def test_all_readers_get_the_same_object(self) -> None:
        best = highest_confidence(self.goals)
        self.assertIs(best, self.goals[int(np.argmax(self.confidences))])
        self.assertIs(best, highest_confidence(Goals(self.goals)))
        self.assertEqual(Goals(self.goals), list(self.goals))

    def test_only_what_is_read_is_made(self) -> None:
        passed = Goals()
        passed.extend(self.goals)
        chosen = highest_confidence(goals_from(Goals(passed), "SM"))
        (part,) = self.goals._parts
        self.assertEqual(list(part._made.values()), [chosen])

    def test_a_list_of_its_own(self) -> None:
        passed = Goals(self.goals)
        del passed[3:]
        passed.append(passed[0])
        self.goals.clear()
        self.assertEqual(len(passed), 4)
        self.assertEqual(len(self.goals), 0)
        self.assertIs(passed[3], passed[0])
        self.assertEqual(len(copy.copy(passed)), 4)
        passed += passed[:1]
        self.assertEqual(len(passed), 5)
        self.assertEqual(passed + passed[:1], [*passed, passed[0]])

    def test_goals_can_be_encoded(self) -> None:
        text = json.dumps([self.goals], cls=BufferEncoder)
        self.assertEqual(text, json.dumps([list(self.goals)], cls=BufferEncoder))


def ranked(goals: list[Goal]) -> list[Goal]:
    return sorted(goals, key=lambda goal: goal.confidence, reverse=True)


class ChoiceTest(unittest.TestCase):
    """The same goal is chosen among arrays and objects as in a list of objects."""

    def assert_same_choice(self, goals: Goals) -> None:
        chosen = {
            kind: highest_confidence(of_kind)
            for kind in ("GSG", "SM")
            if (of_kind := goals_from(goals, kind))
        }
        best = highest_confidence(goals)
        every = list(goals)
        self.assertIs(best, ranked(every)[0])
        for kind in ("GSG", "SM"):
            of_kind = [goal for goal in every if goal.sender_type == kind]
            self.assertEqual(ranked(of_kind)[:1], [*filter(None, [chosen.get(kind)])])
            self.assertEqual(goals_from(goals, kind), goals_from(every, kind))

    def test_random_goals_of_several_senders(self) -> None:
        rng = np.random.default_rng(5)
        for _ in range(300):
            goals = Goals()
            for _ in range(rng.integers(1, 5)):
                count = int(rng.integers(1, 6))
                # Few values, so that several goals have the highest confidence.
                confidences = rng.integers(0, 4, size=count) / 4
                locations = rng.normal(size=(count, 3))
                if rng.random() < 0.5:
                    goals.extend(goals_at(locations, confidences, "view_finder"))
                else:
                    kind = "GSG" if rng.random() < 0.5 else "SM"
                    goals.extend(map(constructed, locations, confidences, [kind] * 9))
            self.assert_same_choice(goals)

    def test_a_goal_that_a_reader_changed(self) -> None:
        goals = goals_at(np.zeros((3, 3)), np.array([0.1, 0.5, 0.2]), "view_finder")
        kept = Goals(goals)
        goals[0].confidence = 0.9
        self.assertIs(highest_confidence(kept), goals[0])

    def test_a_goal_with_another_sender(self) -> None:
        goals = goals_at(np.zeros((3, 3)), np.array([0.1, 0.5, 0.2]), "view_finder")
        highest_confidence(goals).sender_type = "GSG"
        self.assertEqual(len(goals_from(goals, "SM")), 2)
        self.assertEqual(highest_confidence(goals_from(goals, "SM")).confidence, 0.2)
        self.assertEqual(len(goals_from(goals, "GSG")), 1)

    def test_a_confidence_of_nan_does_not_hide_the_others(self) -> None:
        goals = goals_at(np.zeros((3, 3)), np.array([0.1, np.nan, 0.2]), "view_finder")
        self.assertEqual(highest_confidence(goals).confidence, 0.2)
