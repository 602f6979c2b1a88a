# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The fork does what upstream does, bit for bit, on a selection of configs."""

from __future__ import annotations

import os
import unittest

import pytest

from tests.fork.parity import actions_from, assert_parity

BURST_SAMPLING = "monty/learning_module=test_evidence_1lm_fw_p_hsv100_mmd0001_burst"
FIVE = ("test/evidence_lm/five_lm_mujoco", actions_from("actions.jsonl"))
OFF_OBJECT = actions_from("actions_off_object.jsonl")
LM_1 = "experiment.config.monty_config.learning_modules.learning_module_1"
MIXED_FAMILIES = (
    (
        f"{LM_1}._target_="
        "tbp.monty.frameworks.models.displacement_matching.DisplacementGraphLM"
    ),
    f"~{LM_1}.max_match_distance",
    f"~{LM_1}.feature_weights",
    f"~{LM_1}.tolerances",
    f"+{LM_1}.k=5",
    f"+{LM_1}.match_attribute=displacement",
    "experiment.config.monty_config.lm_to_lm_vote_matrix=null",
    # The class for evidence learning modules does not accept others.
    (
        "experiment.config.monty_config.monty_class="
        "${monty.class:tbp.monty.frameworks.models.graph_matching.MontyForGraphMatching}"
    ),
)
YCB = "randrot_noise_10distinctobj_dist_on_distm_mujoco"


class ParityTest(unittest.TestCase):
    def test_displacement_learning_module(self) -> None:
        assert_parity("test/eval_lt_mujoco", "--episodes=:2")

    def test_evidence_learning_module(self) -> None:
        result = assert_parity("test/evidence_lm/evidence_mujoco")
        self.assertGreater(result["updates"], 10)

    def test_burst_sampling(self) -> None:
        result = assert_parity("test/evidence_lm/evidence_mujoco", BURST_SAMPLING)
        self.assertGreater(result["updates"], 10)

    def test_learning_module_without_input_on_some_steps(self) -> None:
        assert_parity("test/evidence_lm/evidence_off_object_mujoco", OFF_OBJECT)

    def test_five_learning_modules_that_vote(self) -> None:
        result = assert_parity(*FIVE, "--episodes=:3")
        self.assertGreater(result["updates"], 5)

    def test_numba_backend_within_rounding(self) -> None:
        numba = "--proposed=numba"
        for arguments in (
            ("test/evidence_lm/evidence_mujoco",),
            ("test/evidence_lm/evidence_mujoco", BURST_SAMPLING),
            (*FIVE, "--episodes=:3"),
        ):
            with self.subTest(arguments):
                result = assert_parity(*arguments, numba)
                self.assertGreater(result["updates"], 5)

    def test_learning_modules_of_two_families(self) -> None:
        result = assert_parity(*FIVE, "--episodes=:3", *MIXED_FAMILIES)
        self.assertEqual(result["ending"]["ending"], "limit reached")
        self.assertGreater(result["updates"], 5)

    @pytest.mark.thorough
    def test_any_grouping_gives_the_same_run(self) -> None:
        for groups in ("[[0],[1],[2],[3],[4]]", "[[4,1],[0,3],[2]]"):
            with self.subTest(groups):
                setting = f"+experiment.config.monty_config.lm_groups={groups}"
                assert_parity(*FIVE, "--episodes=:3", f"--proposed-override={setting}")

    @unittest.skipUnless(
        os.environ.get("MONTY_DATA") and os.environ.get("MONTY_MODELS"),
        "set MONTY_DATA to a folder with the YCB objects and MONTY_MODELS to one with "
        f"pretrained models to run {YCB}",
    )
    def test_ten_distinct_ycb_objects(self) -> None:
        result = assert_parity(YCB, "--episodes=:3")
        self.assertEqual(result["episodes"], 3)
        self.assertGreater(result["updates"], 50)
