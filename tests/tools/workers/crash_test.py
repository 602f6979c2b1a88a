# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from monty_tools.ending import CouldNotRun
from monty_tools.workers.control import Job, run_jobs
from monty_tools.workers.crash import crash_in
from monty_tools.workers.sides import Run, fork_side
from tbp.monty.cli.sides import paths

CRASHING = """
import faulthandler

def crash():
    faulthandler._sigsegv()

crash()
"""


class CrashTest(unittest.TestCase):
    def test_a_worker_that_crashes_says_what_happened_and_where(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            module = Path(folder, "crashing.py")
            module.write_text(CRASHING)
            side = fork_side(paths(upstream=False), "reference")
            # Importing Hydra, which workers do before anything else, crashes.
            side.env["PYTHONPATH"] = folder
            Path(folder, "hydra.py").write_text("import crashing")
            job = Job(side, Run("test/eval_mujoco"), Path(folder, "a.rec.zip"))
            with self.assertRaises(CouldNotRun) as caught:
                run_jobs([job])
        self.assertRegex(
            str(caught.exception),
            rf"by SIGSEGV: Segmentation fault in crash \({module}, line 5\)$",
        )

    def test_only_the_thread_that_crashed_counts(self) -> None:
        report = (
            "a warning\n"
            "Fatal Python error: Aborted\n\n"
            "Thread 0x01 (most recent call first):\n"
            '  File "waiting.py", line 1 in wait\n\n'
            "Current thread 0x02 (most recent call first):\n"
            '  File "<frozen importlib._bootstrap>", line 2 in _load\n'
            '  File "a.py", line 3 in f\n'
        )
        self.assertEqual(crash_in(report), "Aborted in f (a.py, line 3)")

    def test_what_did_not_crash_and_what_had_no_frames(self) -> None:
        self.assertEqual(crash_in("Traceback:\n  no such file"), "")
        self.assertEqual(crash_in("Fatal Python error: Bus error\n\n"), "Bus error")


if __name__ == "__main__":
    unittest.main()
