# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import os
import unittest
from pathlib import Path

from monty_tools.workers.sides import (
    Paths,
    Run,
    fork_side,
    upstream_side,
)

PATHS = Paths(Path("up"), Path("fork"), Path("cache"))


class SideTest(unittest.TestCase):
    def test_upstream_is_first_on_its_path_and_has_no_backend(self) -> None:
        env = upstream_side(PATHS, {"PYTHONPATH": "a", "MONTY_BACKEND": "cuda"}).env
        self.assertEqual(env["PYTHONPATH"], os.pathsep.join(["up", "a"]))
        self.assertNotIn("MONTY_BACKEND", env)

    def test_the_fork_keeps_its_path_and_gets_the_backend(self) -> None:
        side = fork_side(PATHS, "numba", {"PYTHONPATH": "a", "MONTY_BACKEND": "cuda"})
        self.assertEqual(side.env["PYTHONPATH"], "a")
        self.assertEqual(side.env["MONTY_BACKEND"], "numba")
        self.assertEqual(side.name, "fork (numba)")
        self.assertEqual(fork_side(PATHS, None, {}).name, "fork")

    def test_settings_that_make_runs_differ_are_fixed(self) -> None:
        env = fork_side(
            PATHS, None, {"PYTHONHASHSEED": "7", "OMP_NUM_THREADS": "8"}
        ).env
        self.assertEqual((env["PYTHONHASHSEED"], env["OMP_NUM_THREADS"]), ("0", "1"))
        self.assertEqual(env["WANDB_MODE"], "disabled")

    def test_folders_have_defaults_that_a_variable_overrides(self) -> None:
        env = fork_side(PATHS, None, {"MONTY_DATA": "mine"}).env
        self.assertEqual(env["MONTY_DATA"], "mine")
        self.assertTrue(env["MONTY_MODELS"].endswith("pretrained_models"))


class RunTest(unittest.TestCase):
    def test_an_override_cannot_be_taken_for_an_option(self) -> None:
        words = Run("a", ("+b=1", "~c"), steps=3).arguments()
        self.assertEqual(words, ["--steps=3", "--", "a", "+b=1", "~c"])
