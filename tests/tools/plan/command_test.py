# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty plan` says what an experiment will ask of a GPU."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

from monty_tools.arguments import Misused
from monty_tools.plan.command import PLAN


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


class SizesTest(PlanTestCase):
    def test_says_what_a_gpu_is_asked_for(self) -> None:
        shown, plan = self.plan("--lms", "3", "--objects", "2", "--nodes", "100")
        self.assertEqual((plan["format"], plan["format_version"]), ("monty-plan", 2))
        self.assertEqual(plan["gpu"]["later step"]["hypotheses"], 3 * 2 * 100 * 2)
        # Where nothing sensed has a direction there are eight poses for a node.
        self.assertEqual(plan["gpu"]["at most"]["hypotheses"], 3 * 2 * 100 * 8)
        for counted in plan["gpu"].values():
            self.assertGreater(counted["launches"], 0)
            self.assertLessEqual(sum(counted["memory"].values()), counted["peak"])
        self.assertEqual(len(plan["groups"]), 1)
        self.assertRegex(shown, r"hypotheses +1,200 +1,200 +4,800")
        self.assertIn("memory: graphs", shown)

    def test_objects_can_be_shared(self) -> None:
        def graphs(*arguments: str) -> int:
            plan = self.plan(*arguments, "--objects", "2", "--nodes", "400")[1]
            return plan["gpu"]["later step"]["memory"]["graphs"]

        own = graphs("--lms", "3")
        shared = graphs("--lms", "3", "--share-objects")
        self.assertAlmostEqual(own / shared, 3, delta=0.1)

    def test_burst_sampling_has_a_window_and_one_burst(self) -> None:
        size = ("--lms", "2", "--objects", "2", "--nodes", "100")
        _, plan = self.plan(*size, "--updater", "burst_sampling")
        first, later = plan["gpu"]["first step"], plan["gpu"]["later step"]
        self.assertEqual(first["hypotheses"], 2 * 2 * 40)
        self.assertEqual(later["hypotheses"], 5 * first["hypotheses"])
        self.assertGreater(later["memory"]["window"], 0)
        self.assertIn("step of a burst", plan["gpu"])

    def test_misuse_is_said_in_a_line(self) -> None:
        size = ("--lms", "1", "--objects", "1")
        for arguments, says in (
            ((), "expected one experiment"),
            (("experiment=one", "experiment=other"), "expected one experiment"),
            (("--lms", "5"), "both --lms and --objects"),
            (("--lms", "0", "--objects", "1"), "--lms"),
            (("experiment=x", *size), "both --lms and --objects"),
        ):
            with (
                self.subTest(arguments),
                contextlib.redirect_stderr(io.StringIO()) as shown,
                self.assertRaises((SystemExit, Misused)) as raised,
            ):
                PLAN(arguments, None)
            self.assertIn(says, f"{shown.getvalue()}{raised.exception}")


class ExperimentTest(PlanTestCase):
    def test_is_planned_without_its_simulator(self) -> None:
        _, plan = self.plan("experiment=test/evidence_lm/evidence_mujoco")
        self.assertEqual(plan["groups"], [["learning_module_0"]])


if __name__ == "__main__":
    unittest.main()
