# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty plan` says what an experiment will ask for."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

import pytest

from monty_tools.arguments import Misused
from monty_tools.guard import Failed
from monty_tools.plan.command import PLAN

GPU = ("first", "later", "most")


class PlanTestCase(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def plan(self, *arguments: str) -> tuple[str, dict[str, Any]]:
        """Return what is printed, and what is written for a program."""
        file, shown = self.folder / "plan.json", io.StringIO()
        with contextlib.redirect_stdout(shown):
            status = PLAN([*arguments, "--json", str(file)], None)
        self.assertEqual(status, 0)
        return shown.getvalue(), json.loads(file.read_text())

    def assert_misused(self, *arguments: str, says: str) -> None:
        with (
            contextlib.redirect_stderr(io.StringIO()) as shown,
            self.assertRaises((SystemExit, Misused)) as raised,
        ):
            PLAN(arguments, None)
        self.assertIn(says, f"{shown.getvalue()}{raised.exception}")


class SizesTest(PlanTestCase):
    def test_says_what_a_gpu_is_asked_for(self) -> None:
        shown, plan = self.plan("--lms", "3", "--objects", "2", "--nodes", "100")
        self.assertEqual((plan["format"], plan["format_version"]), ("monty-plan", 1))
        self.assertEqual(plan["gpu"]["later"]["hypotheses"], 3 * 2 * 100 * 2)
        # Where nothing sensed has a direction there are eight poses for a node.
        self.assertEqual(plan["gpu"]["most"]["hypotheses"], 3 * 2 * 100 * 8)
        for step in GPU:
            counted = plan["gpu"][step]
            self.assertLessEqual(sum(counted["memory"].values()), counted["peak"])
        self.assertEqual(plan["placing"]["refused"]["cuda"], {})
        self.assertIn("auto would choose", shown)
        self.assertIn("memory: graphs", shown)
        self.assertIn("H200", shown)
        self.assertIn("without votes", shown)

    def test_one_object_stands_for_all(self) -> None:
        def graphs(*arguments: str) -> int:
            memory = self.plan(*arguments, "--nodes", "400")[1]["gpu"]["later"]
            return memory["memory"]["graphs"]

        one = graphs("--lms", "1", "--objects", "1")
        own = graphs("--lms", "3", "--objects", "4")
        shared = graphs("--lms", "3", "--objects", "4", "--share-objects")
        self.assertAlmostEqual(own / shared, 3, delta=0.1)
        self.assertAlmostEqual(shared / one, 4, delta=0.2)

    def test_of_a_range_of_nodes_the_mean_counts(self) -> None:
        size = ("--lms", "1", "--objects", "2", "--nodes")
        self.assertEqual(self.plan(*size, "60-140"), self.plan(*size, "100"))

    def test_burst_sampling_has_a_window_and_one_burst(self) -> None:
        size = ("--lms", "2", "--objects", "2", "--nodes", "100")
        shown, plan = self.plan(*size, "--updater", "burst_sampling")
        first, later = plan["gpu"]["first"], plan["gpu"]["later"]
        self.assertEqual(first["hypotheses"], 2 * 2 * 40)
        self.assertEqual(later["hypotheses"], 5 * first["hypotheses"])
        self.assertGreater(later["memory"]["window"], 0)
        self.assertIn("step of a burst", shown)

    def test_a_backend_of_the_cpu_asks_nothing_of_a_gpu(self) -> None:
        size = ("--lms", "1", "--objects", "1", "--nodes", "50")
        _, plan = self.plan(*size, "--backend", "numpy")
        self.assertIsNone(plan["gpu"])
        self.assertIn("numpy", plan["placing"]["refused"])

    def test_five_learning_modules_with_77_objects_take_seconds(self) -> None:
        self.assert_seconds("--lms", "5", "--objects", "77")

    @pytest.mark.thorough
    def test_2500_learning_modules_with_ten_objects_take_seconds(self) -> None:
        self.assert_seconds("--lms", "2500", "--objects", "10")

    def assert_seconds(self, *arguments: str) -> None:
        # Of the processor: other tests may run beside this one.
        began = time.process_time()
        self.plan(*arguments)
        self.assertLess(time.process_time() - began, 9)

    def test_sizes_import_no_framework(self) -> None:
        code = (
            "import sys; from monty_tools.plan.command import PLAN; "
            "PLAN(['--lms', '1', '--objects', '1', '--nodes', '30'], None); "
            "print([m for m in ('torch', 'hydra', 'mujoco') if m in sys.modules])"
        )
        ran = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        )
        self.assertEqual(ran.stdout.splitlines()[-1], "[]")

    def test_misuse_is_said_in_a_line(self) -> None:
        self.assert_misused(says="name one experiment")
        mixed = ("experiment=one", "--backend", "numba", "experiment=other")
        self.assert_misused(*mixed, says="name one experiment")
        self.assert_misused("--lms", "5", says="both --lms and --objects")
        self.assert_misused("--lms", "0", "--objects", "1", says="--lms")
        size = ("--lms", "1", "--objects", "1")
        self.assert_misused("experiment=x", *size, says="both --lms and --objects")
        self.assert_misused(*size, "--backend", "cuba", says="did you mean cuda?")
        self.assert_misused("--calibrate", "rows.json", says="needs --machine")


ROW = {
    **dict(backend="numba", updater="default", version="1", votes=None, lms=2),
    **dict(objects=3, hypotheses=600.0, steps_s=[0.5, 0.25, 0.25]),
}
"""What `monty bench` has measured."""


class CalibrateTest(PlanTestCase):
    def test_measurements_are_added_and_used(self) -> None:
        rows = self.folder / "rows.json"
        rows.write_text(json.dumps([ROW, {**ROW, "backend": "upstream"}]))
        mine = str(self.folder / "mine.json")
        calibrate = ("--calibrate", str(rows), "--machine", "mine")
        with contextlib.redirect_stdout(io.StringIO()):
            for _ in range(2):
                self.assertEqual(PLAN([*calibrate, "--calibration", mine], None), 0)
        size = ("--lms", "2", "--objects", "3", "--nodes", "50")
        _, plan = self.plan(*size, "--backend", "numba", "--calibration", mine)
        (found,) = plan["seconds_per_step"]
        self.assertEqual((found["machine"], found["measurements"]), ("mine", 2))
        self.assertAlmostEqual(found["seconds"], 0.25, places=2)

    def test_other_files_are_refused(self) -> None:
        rows = self.folder / "rows.json"
        arguments = ["--calibrate", str(rows), "--machine", "mine"]
        for row in ({}, {**ROW, "updater": "burst"}):
            rows.write_text(json.dumps([row]))
            with self.assertRaises(Failed):
                PLAN([*arguments, f"--calibration={self.folder / 'mine.json'}"], None)


class ExperimentTest(PlanTestCase):
    def test_is_planned_without_its_simulator(self) -> None:
        shown, plan = self.plan("experiment=test/evidence_lm/evidence_mujoco")
        self.assertEqual(plan["groups"][0]["lms"], ["learning_module_0"])
        self.assertIn("the only one that computes with EvidenceGraphLM", shown)


if __name__ == "__main__":
    unittest.main()
