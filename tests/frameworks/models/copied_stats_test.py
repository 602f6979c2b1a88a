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
import numpy.testing as npt

from tbp.monty.cmp import Goal
from tbp.monty.frameworks.models.copied_stats import copied
from tbp.monty.geometry import GazeDirection, Rotation


class CopiedTest(unittest.TestCase):
    def setUp(self) -> None:
        self.stats = {
            "possible_matches": ["mug", "bowl"],
            "current_mlh": {
                "graph_id": "mug",
                "mlh_id": np.int64(3),
                "location": np.arange(3.0),
                "rotation": Rotation.from_euler("xyz", [10, 20, 30], degrees=True),
                "evidence": np.float64(1.5),
            },
            "evidences": {"mug": np.ones((2, 3)).T, "bowl": []},
            "nothing": None,
            "pairs": ([1], {2}),
        }

    def test_a_copy_has_the_same_contents_and_types(self) -> None:
        expected, found = copy.deepcopy(self.stats), copied(self.stats)
        self.assertEqual(repr(found), repr(expected))
        self.assertEqual(type(found["current_mlh"]["evidence"]), np.float64)
        npt.assert_array_equal(
            found["current_mlh"]["rotation"].as_matrix(),
            expected["current_mlh"]["rotation"].as_matrix(),
        )
        strides = found["evidences"]["mug"].strides
        self.assertEqual(strides, expected["evidences"]["mug"].strides)

    def test_later_changes_do_not_reach_the_copy(self) -> None:
        found = copied(self.stats)
        self.stats["possible_matches"].append("spoon")
        self.stats["current_mlh"]["location"] += 1
        self.stats["current_mlh"]["graph_id"] = "bowl"
        self.stats["evidences"]["bowl"].append(1)
        self.stats["pairs"][0].append(1)
        self.assertEqual(found["possible_matches"], ["mug", "bowl"])
        npt.assert_array_equal(found["current_mlh"]["location"], np.arange(3.0))
        self.assertEqual(found["current_mlh"]["graph_id"], "mug")
        self.assertEqual(found["evidences"]["bowl"], [])
        self.assertEqual(found["pairs"], ([1], {2}))

    def test_a_goal_is_copied_with_all_that_it_has(self) -> None:
        goal = Goal(
            location=np.arange(3.0),
            morphological_features={
                "pose_vectors": GazeDirection(np.full((3, 3), np.nan)),
                "pose_fully_defined": None,
                "on_object": 1,
            },
            non_morphological_features=None,
            confidence=np.float64(0.5),
            pass_message=True,
            sender_id="lm",
            sender_type="GSG",
            process_features_in_lm=True,
            goal_tolerances=None,
            info={"hypothesis_to_test": self.stats["current_mlh"], "achieved": False},
        )
        goal.note = ["set later"]  # type: ignore[attr-defined]
        expected, found = copy.deepcopy(goal), copied(goal)
        self.assertIs(type(found), Goal)
        self.assertEqual(list(vars(found)), list(vars(expected)))
        self.assertEqual(repr(found), repr(expected))
        self.assertEqual(
            str(found.info).split("rotation")[0],
            str(expected.info).split("rotation")[0],
        )
        goal.info["achieved"] = True
        goal.info["hypothesis_to_test"]["location"] += 1
        goal.morphological_features["pose_vectors"].value[:] = 0
        goal.note.append("even later")  # type: ignore[attr-defined]
        self.assertFalse(found.info["achieved"])
        mlh = found.info["hypothesis_to_test"]
        npt.assert_array_equal(mlh["location"], np.arange(3.0))
        gaze = found.morphological_features["pose_vectors"]
        self.assertIs(type(gaze), GazeDirection)
        self.assertTrue(np.isnan(gaze.value).all())
        self.assertEqual(found.note, ["set later"])

    def test_subclasses_are_copied_as_their_class_says(self) -> None:
        class Counted(dict):
            def __deepcopy__(self, _memo):
                return "own copy"

        class OwnGoal(Goal):
            def __deepcopy__(self, _memo):
                return "own goal"

        own_goal = OwnGoal.__new__(OwnGoal)
        self.assertEqual(copied([Counted(), own_goal]), ["own copy", "own goal"])
