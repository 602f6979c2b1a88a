# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs a Monty of a few lines in real processes, in turns."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from monty_tools.ending import Ending
from monty_tools.recording.file import Recording
from monty_tools.recording.stopwatch import WHOLE
from monty_tools.recording.times import rounds_of
from monty_tools.workers.control import Job, run_jobs
from monty_tools.workers.sides import Paths, Run, side_named
from tests.tools.small_release import write_release

STEPS = 12
STEP = "def step(self):\n        "


class TurnsTest(unittest.TestCase):
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
        write = self.folder / f"{name}.rec.zip"
        how = {"state": False, "rounds": 3, "in_turns": True}
        return Job(side, Run("small"), write, self.recording, **how)

    def test_steps_are_taken_in_turn_in_all_rounds_of_which_the_first_is_none(
        self,
    ) -> None:
        jobs = [self.job("a"), self.job("b")]
        run_jobs(jobs, take_turns=True)
        self.assertEqual((self.folder / "steps").read_text(), "ab" * STEPS * 3)
        for job in jobs:
            with Recording(job.write) as timed:
                rounds = rounds_of(timed)
            self.assertEqual([len(times) for times in rounds], [3, 3])
            self.assertTrue(all(one[WHOLE] > 0 for times in rounds for one in times))

    def test_a_side_that_acts_differently_diverges_also_if_it_handles_the_error(
        self,
    ) -> None:
        for end in ("self.env.close()", "return True"):
            with self.subTest(end):
                job = self.job("other", "FACTOR = 1.1")
                hydra = self.folder / "other/tbp/monty/hydra.py"
                text = hydra.read_text()
                self.assertEqual(text.count("self.env.close()"), 1)
                hydra.write_text(text.replace("self.env.close()", end))
                self.assertEqual(run_jobs([job], take_turns=True), [Ending.DIVERGED])
