# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Workers share a GPU: `make test-gpu`. Needs CuPy and Ray."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path

import pytest

from tbp.monty.backends.cuda.availability import reason_against
from tests.tools.parallel.results import contents
from tests.tools.parallel.runners import our_command
from tests.tools.parallel.short_episodes import LEARNING, RECOGNISING
from tests.tools.parallel.small_parallel import SmallParallel, objects

pytest.importorskip("ray")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(reason_against() is not None, reason=str(reason_against())),
]

PAUSE = "experiment.config.pause=3"
"""Long enough for two workers to hold their memory at the same time."""


class RealRunTest(unittest.TestCase):
    """Needs MuJoCo, too."""

    def setUp(self) -> None:
        pytest.importorskip("mujoco")
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_two_workers_give_the_rows_of_a_processor(self) -> None:
        learned, _ = self.run_parallel("learning", LEARNING)
        [model] = learned.rglob("model.pt")
        words = (
            *RECOGNISING,
            f"experiment.config.model_name_or_path={model}",
            "experiment.config.n_eval_epochs=4",
            "--workers=2",
        )
        expected, _ = self.run_parallel("numba", (*words, "--backend=numba"))
        found, said = self.run_parallel("cuda", (*words, "--backend=cuda"))

        self.assertRegex(said, r"an episode takes \d+% of a GPU's memory")
        self.assertEqual(len(contents(found)["eval_stats.csv"]["num_steps"]), 4)
        self.assertEqual(contents(found), contents(expected))

    def run_parallel(self, name: str, words: Sequence[str]) -> tuple[Path, str]:
        """Return the folder of the results, and what was said."""
        command, env = our_command(words, str(self.folder / name))
        ended = subprocess.run(command, env=env, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        [table] = (self.folder / name).rglob("*_stats.csv")
        return table.parent, ended.stderr


class SharedGpuTest(SmallParallel):
    """Needs no simulator."""

    def test_two_workers_share_a_gpu(self) -> None:
        words = (objects(4 * ["gpu10"]), PAUSE)
        ended = self.run_small(*words, "--workers=2", "--gpus-per-worker=0.5")

        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(self.numbers_in(), [0, 1, 2, 3])
        self.assertEqual(len({run["pid"] for run in self.runs()}), 2)

    def test_goes_on_with_fewer_workers_if_memory_runs_out(self) -> None:
        words = (objects(4 * ["gpu60"]), PAUSE)
        ended = self.run_small(*words, "--workers=2", "--gpus-per-worker=0.5")

        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("going on with 1", ended.stderr)
        self.assertEqual(self.numbers_in(), [0, 1, 2, 3])

    def test_measures_how_many_workers_a_gpu_holds(self) -> None:
        words = (objects(4 * ["gpu20"]), PAUSE)
        ended = self.run_small(*words, "--workers=2", "--backend=cuda")

        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(
            ended.stderr, r"an episode takes 2\d% of a GPU's memory: [34] work"
        )
        self.assertEqual(self.numbers_in(), [0, 1, 2, 3])

    def test_an_episode_that_no_gpu_can_hold_is_reported(self) -> None:
        words = (objects(["gpu200", "ball"]), "--workers=1", "--gpus-per-worker=1")
        ended = self.run_small(*words)

        self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertIn("small-eval-0-gpu200: OutOfMemoryError", ended.stderr)
        self.assertEqual(self.numbers_in(), [1])
