# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty run-parallel` on a Monty of a few lines, with a real Ray."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import pytest

from tbp.monty.cli import main
from tests.tools.parallel.short_episodes import SHORT
from tests.tools.parallel.small_parallel import SmallParallel, objects

RUN_WITHOUT_RAY = """
import sys
sys.modules["ray"] = None
from tbp.monty.cli import main
sys.exit(main(["run", *sys.argv[1:]]))
"""


class RunParallelTest(SmallParallel):
    def test_writes_the_files_of_all_episodes_in_order_and_says_which_failed(self):
        ended = self.run_small(
            objects(["ball", "raises", "dies_once", "cone", "cup", "box"]),
            "--workers=2",
        )

        self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertEqual(self.numbers_in(), [0, 2, 3, 4, 5])
        self.assertEqual(self.numbers_in("detailed_run_stats.json"), [0, 2, 3, 4, 5])
        log = (self.results / "log.txt").read_text()
        self.assertIn(f"begins in {self.results}/small-eval-0-ball\n", log)
        self.assertIn("small-eval-1-raises: LookupError: raises is", ended.stderr)
        self.assertIn("Traceback (most recent call last):", ended.stderr)
        self.assertNotIn("dies_once", ended.stderr)
        numbers = [run["number"] for run in self.runs()]
        self.assertEqual(sorted(numbers), [0, 1, 2, 2, 3, 4, 5])
        self.assertGreater(len({run["pid"] for run in self.runs()}), 1)
        self.assertFalse((self.results / "parallel_log.txt").exists())

    def test_does_not_take_what_upstreams_runner_left_for_its_own_results(self) -> None:
        self.results.mkdir(parents=True)
        (self.results / "parallel_log.txt").write_text("num_parallel: 2\n")
        ended = self.run_small("--resume")

        self.assertEqual(ended.returncode, 2, ended.stdout)
        self.assertIn("no parallel_run.json that says of which run", ended.stderr)
        self.assertEqual(self.runs(), [])


class WithoutRayTest(unittest.TestCase):
    def test_names_the_extra(self):
        output = io.StringIO()
        with (
            patch.dict(sys.modules, {"ray": None}),
            patch.dict(os.environ),
            contextlib.redirect_stderr(output),
        ):
            status = main(["run-parallel", "experiment=test/eval_mujoco"])
        self.assertEqual(status, 2)
        self.assertIn("Ray is not installed", output.getvalue())
        self.assertIn("pip install 'tbp.monty[ray]'", output.getvalue())

    @pytest.mark.thorough
    def test_monty_run_is_not_affected(self):
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                [sys.executable, "-c", RUN_WITHOUT_RAY, *SHORT],
                env={**os.environ, "MONTY_LOGS": folder},
                capture_output=True,
                text=True,
            )
            self.assertEqual(ended.returncode, 0, ended.stderr)
            [table] = Path(folder).rglob("eval_stats.csv")
            self.assertEqual(len(table.read_text().splitlines()), 1 + 6)
