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
from pathlib import Path

from monty_tools.recording.overrides import NotAllowed, check_overrides

FILE = Path("run.rec.zip")
CONFIG = "experiment.config"

HARMLESS = (
    f"{CONFIG}.seed=7",
    f"{CONFIG}.monty_config.monty_args.num_exploratory_steps=100",
    f"+{CONFIG}.monty_config.lm_groups=[[0,1],[2]]",
    f"++{CONFIG}.tolerance=-1.5e-3",
    f"{CONFIG}.eval_env_interface_args.object_names=[mug, potted_meat_can]",
    f"{CONFIG}.monty_config.lm_to_lm_vote_matrix=null",
    f"{CONFIG}.logging.run_name=trial-3",
    f"~{CONFIG}.monty_config.learning_modules.learning_module_1.tolerances",
    "monty/learning_module=test_evidence_1lm_fw_p_hsv100_mmd0001_burst",
)
HOSTILE = (
    f"+{CONFIG}.x='${{np.list_eval:[\"__import__(\\'os\\').system(\\'id\\')\"]}}'",
    f"+{CONFIG}.x=${{oc.env:HOME}}",
    f"{CONFIG}.monty_config.learning_modules.learning_module_0._target_=os.system",
    f"+{CONFIG}.logging._args_=[id]",
    f"{CONFIG}.model_name_or_path=model",
    f"{CONFIG}.model_name_or_path=/tmp/models",
    f"{CONFIG}.logging.output_dir=results",
    f"{CONFIG}.logging.run_name=../../bin",
    f"{CONFIG}.logging.run_name=..",
    f"{CONFIG}.logging={{output_dir:/}}",
    f"{CONFIG}.x={{_target_:os.system}}",
    f"{CONFIG}.x=[{{_target_:os.system}}]",
    "experiment._target_=os.system",
    "hydra.searchpath=[file:///tmp]",
    "hydra/job_logging=none",
    "+hydra.callbacks.a._target_=os.system",
    "monty/learning_module@experiment.config=other",
    "experiment=../../../../tmp/experiment",
    f"{CONFIG}.seed=7\n+hydra.x=1",
    "--config-dir=/tmp",
    "",
)


class OverridesTest(unittest.TestCase):
    def test_plain_settings_and_choices_are_allowed(self) -> None:
        check_overrides(FILE, "test/evidence_lm/evidence_mujoco", HARMLESS)

    def test_what_names_code_or_files_is_refused(self) -> None:
        for override in HOSTILE:
            with self.subTest(override), self.assertRaises(NotAllowed) as refused:
                check_overrides(FILE, "test/eval_mujoco", [override])
            self.assertIn(repr(override), str(refused.exception))
            self.assertEqual(len(str(refused.exception).splitlines()), 1)

    def test_the_experiment_is_one_of_the_package(self) -> None:
        for name in ("../evil", "/tmp/evil", "a b", "${oc.env:HOME}", "a,b", ""):  # noqa: S108
            with self.subTest(name), self.assertRaises(NotAllowed):
                check_overrides(FILE, name, ())
