# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Postponed modules are loaded when they are used, and not before."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

WANDB = """
print("wandb runs")
run = None
"""
PART = """
print("part runs")
"""
BROKEN = """
raise ImportError("wandb is broken")
"""


class PostponedImportsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "wandb").mkdir()
        self.write("wandb/__init__.py", WANDB)
        self.write("wandb/part.py", PART)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def printed(self, code: str) -> list[str]:
        """Return what a program prints that has its own wandb."""
        header = "from monty_tools.lazy_modules import is_loaded, postpone_imports\n"
        done = subprocess.run(
            [sys.executable, "-c", header + textwrap.dedent(code)],
            env={**os.environ, "PYTHONPATH": str(self.folder)},
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_runs_the_code_at_the_first_use(self) -> None:
        printed = self.printed("""
            postpone_imports()
            import wandb
            import wandb as again
            print(is_loaded("wandb"))
            print(again.run, is_loaded("wandb"))
            """)
        self.assertEqual(printed, ["False", "wandb runs", "None True"])

    def test_runs_the_code_before_that_of_a_part(self) -> None:
        printed = self.printed("""
            postpone_imports()
            import wandb
            print("imported")
            import wandb.part
            """)
        self.assertEqual(printed, ["imported", "wandb runs", "part runs"])

    def test_fails_at_each_use_if_the_code_does(self) -> None:
        self.write("wandb/__init__.py", BROKEN)
        printed = self.printed("""
            postpone_imports()
            import wandb
            for _ in range(2):
                try:
                    wandb.run
                except ImportError as error:
                    print(error)
            """)
        self.assertEqual(printed, 2 * ["wandb is broken"])

    def test_a_module_that_is_not_there_is_not_found(self) -> None:
        printed = self.printed("""
            import sys
            postpone_imports()
            sys.path.clear()
            try:
                import wandb
            except ModuleNotFoundError as error:
                print(error)
            """)
        self.assertEqual(printed, ["No module named 'wandb'"])

    def test_a_run_needs_none_of_them_and_no_library_for_drawing_or_clustering(
        self,
    ) -> None:
        printed = self.printed("""
            import sys
            from monty_tools.lazy_modules import POSTPONED
            postpone_imports()
            import tbp.monty.frameworks.experiments.object_recognition_experiments
            import tbp.monty.frameworks.loggers.graph_matching_loggers
            import tbp.monty.frameworks.models.evidence_matching.model
            import tbp.monty.frameworks.run
            import tbp.monty.frameworks.run_parallel
            import tbp.monty.simulators.mujoco
            unused = ("matplotlib", "sklearn", "scipy.stats")
            print([name for name in unused if name in sys.modules])
            print([name for name in POSTPONED if is_loaded(name)])
            """)
        self.assertEqual(printed, ["[]", "[]"])


if __name__ == "__main__":
    unittest.main()
