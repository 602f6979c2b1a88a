# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What can run here, asked of upstream's own configs."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import pytest

from monty_tools.compare.runs import Asked, plan
from monty_tools.workers.sides import Paths, fork_side
from tbp.monty import __file__ as package

ROOT = Path(package).parents[2]
TRAINED = "supervised_pre_training_base/pretrained/model.pt"
HABITAT = "needs habitat_sim, which is not installed"


@pytest.mark.thorough
class CheckTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        variables = {"MONTY_DATA": folder.name, "MONTY_MODELS": folder.name}
        patched = patch.dict(os.environ, variables)
        patched.start()
        self.addCleanup(patched.stop)

    def planned(self, *names: str, episodes: str | None = None) -> list:
        side = fork_side(Paths(None, ROOT, None), "reference")
        return list(plan(side, names, (), episodes, workers=2).values())

    def test_what_is_missing_is_named(self) -> None:
        found = self.planned(
            "base_77obj_dist_agent",
            "base_77obj_dist_agent_mujoco",
            "no_such_experiment",
            "../escape",
            "surf_agent_unsupervised_10simobj_mujoco",
            "test/no_reset_evidence_lm/unsupervised_mujoco",
            "test/evidence_lm/noisy_sensor_mujoco",
        )
        for reason, expected in zip(
            found,
            (
                HABITAT,
                "lacks the model .*surf_agent_1lm_77obj",
                "no experiment is named 'no_such_experiment'",
                "not the name of an experiment",
                "only trains",
                "writes no eval_stats.csv",
                r"lacks .*\.jsonl$",
            ),
            strict=True,
        ):
            self.assertRegex(reason, expected)

    def test_data_that_are_there_and_objects_that_are_not(self) -> None:
        model = self.folder / "pretrained_ycb_v13" / TRAINED
        model.parent.mkdir(parents=True)
        model.touch()
        objects = self.folder / "mujoco" / "objects" / "ycb"
        (objects / "mug").mkdir(parents=True)
        experiment = "randrot_noise_10distinctobj_dist_on_distm_mujoco"
        [reason] = self.planned(experiment)
        self.assertIn("lacks bowl and 8 more objects", reason)
        for name in (
            *("bowl", "potted_meat_can", "spoon", "strawberry", "mustard_bottle"),
            *("dice", "golf_ball", "c_lego_duplo", "banana"),
        ):
            (objects / name).mkdir()
        [found] = self.planned(experiment, episodes=":6")
        self.assertIsInstance(found, Asked)
        self.assertEqual(found.at_a_time, 2)
        [reason] = self.planned(experiment, episodes="101")
        self.assertIn("--episodes 101, of its 100", reason)

    def test_episodes_that_need_those_before_run_in_one_process(self) -> None:
        trains, alone = "test/evidence_lm/evidence_mujoco", "test/eval_lt_mujoco"
        found = self.planned(trains, alone)
        self.assertEqual([one.in_one_process for one in found], [True, False])
        self.assertEqual([one.at_a_time for one in found], [1, 2])
        [reason, _] = self.planned(trains, alone, episodes=":2")
        self.assertIn("--episodes cannot choose", reason)
