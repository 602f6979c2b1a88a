# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[1]


class SetupTest(unittest.TestCase):
    def test_an_environment_without_pip_is_repaired(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            venv = Path(folder)
            (venv / "bin").mkdir()
            for file in (venv / "bin/python", venv / ".installed"):
                file.touch()
            self.assertIn(f"-m venv {venv}", self.commands_of_setup(venv))
            (venv / "bin/pip").touch()
            self.assertNotIn("-m venv", self.commands_of_setup(venv))

    def commands_of_setup(self, venv: Path) -> str:
        command = ["make", "--dry-run", "setup", f"VENV={venv}"]
        return subprocess.check_output(command, cwd=ROOT, text=True)
