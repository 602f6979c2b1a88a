# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Repeats a run of a Monty of a few lines, in real processes."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from benchmarks.steps_benchmark import WarmJob
from monty_tools.ending import CouldNotRun
from monty_tools.recording.file import Recording
from monty_tools.recording.stopwatch import WHOLE
from monty_tools.recording.times import rounds_of
from monty_tools.workers.control import Job, run_jobs
from monty_tools.workers.sides import Paths, Run, side_named
from tests.tools.small_release import write_release

STEPS = 12
STEP = "def step(self):\n        "


class WarmWorkerTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.recording = self.folder / "run.rec.zip"
        self.job("recorded", record=True)

    def job(self, name: str, factor: str = "FACTOR = 1.0", *, record: bool = False):
        root = self.folder / name
        write_release(root, factor)
        hydra = root / "tbp/monty/hydra.py"
        note = f"open({str(self.folder / 'steps')!r}, 'a').write({name!r})"
        self.assertEqual(hydra.read_text().count(f"{STEP}pass"), 1)
        side = side_named("upstream", Paths(root, root, None))
        if record:
            return run_jobs([Job(side, Run("small"), self.recording)])
        hydra.write_text(hydra.read_text().replace(f"{STEP}pass", STEP + note))
        return WarmJob(side, self.recording, 2, self.folder / f"{name}.rec.zip")

    def test_steps_are_taken_in_turn_in_all_rounds_of_which_the_first_is_none(
        self,
    ) -> None:
        jobs = [self.job("a"), self.job("b")]
        run_jobs(jobs, take_turns=True)
        self.assertEqual((self.folder / "steps").read_text(), "ab" * STEPS * 3)
        for job in jobs:
            with Recording(job.write) as timed:
                rounds = rounds_of(timed)
            self.assertEqual([len(times) for times in rounds], [1, 1])
            self.assertTrue(all(one[WHOLE] > 0 for [one] in rounds))

    def test_a_side_that_acts_differently_is_not_timed(self) -> None:
        with self.assertRaisesRegex(CouldNotRun, "left the recording in episode 1"):
            run_jobs([self.job("other", "FACTOR = 1.1")], take_turns=True)

    def test_nor_is_one_that_handles_the_error(self) -> None:
        job = self.job("other", "FACTOR = 1.1")
        hydra = self.folder / "other/tbp/monty/hydra.py"
        end = "self.env.close()"
        self.assertEqual(hydra.read_text().count(end), 1)
        hydra.write_text(hydra.read_text().replace(end, "return True"))
        with self.assertRaisesRegex(CouldNotRun, "left the recording in episode 1"):
            run_jobs([job], take_turns=True)
