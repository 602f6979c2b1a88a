# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Tests what is refused before anything runs, and how episodes are named."""

from __future__ import annotations

import pickle
import unittest

from monty_tools.ending import CouldNotRun
from monty_tools.parallel.asked import ParallelRun
from monty_tools.parallel.episodes import phases_of
from monty_tools.parallel.order import composed

CONFIG = "experiment.config"
EVALUATING = ("test/reproducibility_eval_episodes_mujoco", f"{CONFIG}.do_train=false")
TRAINING = "test/evidence_lm/evidence_mujoco"
SEVERAL_OBJECTS = (
    "test/integration/positioning_procedures/get_good_view/"
    "multi_object_target_not_visible_mujoco"
)
PRETRAINING = ("test/supervised_pre_training_mujoco",)


def phases(experiment: str, *overrides: str, **options):
    cfg = composed(ParallelRun(experiment, overrides, **options))
    return phases_of(cfg)


class PhasesTest(unittest.TestCase):
    def test_an_evaluation_has_a_run_per_object_and_epoch(self) -> None:
        [evaluation] = phases(*EVALUATING, episodes="1,3:5")
        self.assertEqual(evaluation.mode, "eval")
        name = "test_eval_episode_reproducibility_mujoco-parallel_eval_episode"
        self.assertEqual(evaluation.names, tuple(f"{name}_{n}" for n in (1, 3, 4)))
        config = pickle.loads(evaluation.configs[1])["config"]  # noqa: S301 ours
        self.assertEqual((config["episode"], config["do_train"]), (3, False))

    def test_pretraining_has_a_run_per_object(self) -> None:
        [training] = phases(*PRETRAINING)
        self.assertEqual(training.mode, "train")
        self.assertEqual(
            [name.rpartition("_")[2] for name in training.names],
            ["capsule3DSolid", "cubeSolid"],
        )

    def test_refuses_what_upstreams_runner_cannot_do(self) -> None:
        environments = "${monty.class:tbp.monty.experiment.environment."
        samplers = "tbp.monty.frameworks.environments.object_init_samplers"
        args = f"{CONFIG}.train_env_interface_args"
        for words, reason in {
            (TRAINING,): "only supervised pretraining .* saves no model.pt",
            (*EVALUATING, f"{CONFIG}.do_eval=false"): "neither trains nor evaluates",
            (*EVALUATING, "print_cfg=true"): "runs nothing",
            (*EVALUATING, "episodes=4:99"): "is not a valid range. There are 6",
            (
                *EVALUATING,
                f"{CONFIG}.eval_env_interface_class='{environments}Interface}}'",
            ): "one object per episode .* is Interface",
            ("world_image_on_scanned_model",): "has no object_names",
            (SEVERAL_OBJECTS, f"{CONFIG}.do_train=false"): "several objects",
            (*PRETRAINING, f"{args}.object_names=[cube,ball,cube]"): "cube is twice",
            (
                *PRETRAINING,
                f"~{args}.object_init_sampler.rotations",
                f"{args}.object_init_sampler._target_={samplers}.Default",
            ): "number of poses, and Default has none",
        }.items():
            with (
                self.subTest(words=words),
                self.assertRaisesRegex(CouldNotRun, reason),
            ):
                phases(*words)
