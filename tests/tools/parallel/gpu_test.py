# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Workers share a GPU: `make test-gpu`. Needs CuPy and Ray, but no simulator."""

from __future__ import annotations

import pytest

from tbp.monty.backends.cuda.availability import reason_against
from tests.tools.parallel.small_parallel import SmallParallel, objects

pytest.importorskip("ray")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(reason_against() is not None, reason=str(reason_against())),
]

PAUSE = "experiment.config.pause=3"
"""Long enough for two workers to hold their memory at the same time."""


class SharedGpuTest(SmallParallel):
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
            ended.stderr, r"an episode takes 2\d% of a GPU's memory: 3 work"
        )
        self.assertEqual(self.numbers_in(), [0, 1, 2, 3])

    def test_an_episode_that_no_gpu_can_hold_is_reported(self) -> None:
        words = (objects(["gpu200", "ball"]), "--workers=1", "--gpus-per-worker=1")
        ended = self.run_small(*words)

        self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertIn("small-eval-0-gpu200: OutOfMemoryError", ended.stderr)
        self.assertEqual(self.numbers_in(), [1])
