# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A model that names code is refused by the commands, on both sides."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import torch

from tests.frameworks.utils.unpickle_model_test import Calling

EXPERIMENT = "experiment=test/eval_lt_mujoco"


class HostileModelTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.proof = self.folder / "proof"
        torch.save(Calling(os.system, f"touch {self.proof}"), self.folder / "model.pt")

    def monty(self, *argv: str) -> subprocess.CompletedProcess[str]:
        model = f"experiment.config.model_name_or_path={self.folder}"
        return subprocess.run(
            [sys.executable, "-m", "tbp.monty.cli", *argv, EXPERIMENT, model],
            capture_output=True,
            text=True,
            env={**os.environ, "MONTY_LOGS": str(self.folder / "logs")},
        )

    def test_no_command_runs_it(self) -> None:
        out = f"--out={self.folder / 'run.rec.zip'}"
        for command in (("run",), ("record", out)):
            with self.subTest(command):
                done = self.monty(*command)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, "names posix.system.*MONTY_TRUST=")
                self.assertNotIn("Traceback", done.stderr)
        self.assertFalse(self.proof.exists())
