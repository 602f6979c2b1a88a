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
import tempfile
import time
import unittest
from pathlib import Path

from tests.cli import slow_backend
from tests.installed_backend import installed_backend
from tests.interrupts import take_interrupts

EXPERIMENT = "test/evidence_lm/evidence_mujoco"


class InterruptTest(unittest.TestCase):
    def test_an_interrupt_ends_the_run_and_closes_the_backend(
        self,
    ) -> None:
        take_interrupts(self)
        module = Path(slow_backend.__file__)
        with (
            installed_backend("slow", module, "Slow") as folder,
            tempfile.TemporaryDirectory() as logs,
        ):
            command = [sys.executable, "-m", "tbp.monty.cli", "run"]
            output = f"experiment.config.logging.output_dir={logs}"
            running = subprocess.Popen(
                [*command, f"experiment={EXPERIMENT}", output],
                env={**os.environ, "MONTY_LOGS": logs, "WANDB_MODE": "disabled"},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            try:
                self.wait_for(folder / "started", running)
                running.send_signal(signal.SIGINT)
                # One update takes a second; the next ones would take many.
                _, error = running.communicate(timeout=60)
            finally:
                running.kill()
            self.assertEqual(running.returncode, 130, error)
            self.assertIn("monty run: interrupted", error)
            # Closed, with none of its threads left.
            self.assertEqual((folder / "closed").read_text(), "")

    def wait_for(self, file: Path, running: subprocess.Popen) -> None:
        deadline = time.monotonic() + 300
        while not file.exists():
            self.assertIsNone(running.poll(), "the run ended by itself")
            self.assertLess(time.monotonic(), deadline, "the run never got there")
            time.sleep(0.05)
