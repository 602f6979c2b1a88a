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
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import pytest

from monty_tools.profile.schema import read_profile
from tests.cli import slow_backend
from tests.cli.cli_test import monty
from tests.fork.parity import actions_from
from tests.installed_backend import installed_backend
from tests.interrupts import take_interrupts
from tests.tools.profile.recorder_test import RecorderTestCase

FIVE_LMS = "test/evidence_lm/five_lm_mujoco"


class ArgumentsTest(RecorderTestCase):
    def test_nothing_is_overwritten(self) -> None:
        (self.folder / "thesis.tex").touch()
        status, output = monty("run", "experiment=any", f"--profile={self.folder}")
        self.assertEqual(status, 2)
        [line] = output.splitlines()
        self.assertIn("needs a new or an empty folder", line)
        self.assertEqual([one.name for one in self.folder.iterdir()], ["thesis.tex"])

    def test_many_runs_do_not_fit_into_one_folder(self) -> None:
        arguments = ("experiment=any", "--multirun", f"--profile={self.folder}/new")
        status, output = monty("run", *arguments)
        self.assertEqual(status, 2)
        self.assertIn("leave --multirun out", output)
        self.assertFalse((self.folder / "new").exists())


def run_profiled(folder: Path, experiment: str, *arguments: str) -> subprocess.Popen:
    """Start `monty run`, with the profile in `profile` below a folder."""
    logs = str(folder / "logs")
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "tbp.monty.cli", "run"),
            f"experiment={experiment}",
            f"experiment.config.logging.output_dir={logs}",
            f"--profile={folder / 'profile'}",
            *arguments,
        ],
        env={**os.environ, "MONTY_LOGS": logs, "WANDB_MODE": "disabled"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.thorough
class FiveLearningModulesTest(RecorderTestCase):
    def test_the_run_is_recorded(self) -> None:
        running = run_profiled(
            self.folder,
            FIVE_LMS,
            actions_from("actions.jsonl"),
            "experiment.config.n_train_epochs=1",
            "experiment.config.n_eval_epochs=1",
            "--backend=numba",
        )
        output, _ = running.communicate(timeout=600)
        self.assertEqual(running.returncode, 0, output)
        self.assertRegex(output, r"(?m)^dispatch +\d+\.\d+ +\d+\.\d% +\d+ ")
        profile = read_profile(self.folder / "profile")
        self.assertEqual(profile.summary["experiment"], FIVE_LMS)
        self.assertEqual(len(profile.summary["lms"]), 5)
        self.assertEqual(len(profile.steps), profile.summary["steps"])
        self.assertEqual(len(profile.episodes), profile.summary["episodes"])
        self.assertGreater(profile.summary["episodes"], 0)


@pytest.mark.thorough
class InterruptTest(RecorderTestCase):
    def test_an_interrupt_keeps_what_was_recorded(self) -> None:
        take_interrupts(self)
        module = Path(slow_backend.__file__)
        with installed_backend("slow", module, "Slow") as folder:
            running = run_profiled(self.folder, "test/evidence_lm/evidence_mujoco")
            try:
                deadline = time.monotonic() + 300
                while not (folder / "started").exists():
                    self.assertIsNone(running.poll(), "the run ended by itself")
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.05)
                running.send_signal(signal.SIGINT)
                output, _ = running.communicate(timeout=60)
            finally:
                running.kill()
        self.assertEqual(running.returncode, 130, output)
        profile = read_profile(self.folder / "profile")
        names = {event["name"] for event in profile.events}
        self.assertLessEqual({"setup", "run", "episode", "step", "launch"}, names)


if __name__ == "__main__":
    unittest.main()
