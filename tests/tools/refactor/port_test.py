# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What `monty-refactor port` prints, and what `--accept` does."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from unittest.mock import patch

from monty_tools.refactor import fingerprints
from monty_tools.refactor.port import command
from monty_tools.refactor.series import SERIES
from tests.tools.refactor.cli_test import run
from tests.tools.refactor.upstream_copy import UpstreamCopyTestCase

STEP = next(step for step in SERIES if step.name == "array_goals")
SENSORS = "frameworks/models/salience/sensor_module.py"
SELECTORS = "frameworks/models/motor_policy_selectors.py"


class PortTest(UpstreamCopyTestCase):
    def setUp(self) -> None:
        super().setUp()
        patched = patch.object(command, "SERIES", [STEP])
        patched.start()
        self.addCleanup(patched.stop)

    def findings(self) -> dict[str, dict]:
        file = self.folder / "found.json"
        status, _, _ = run("port", self.tree, "--json", file)
        rows = json.loads(file.read_text("utf-8"))
        self.assertEqual(status, any(row["status"] != "ok" for row in rows))
        return {row["rewrite"]: row for row in rows if row["status"] != "ok"}

    def test_a_release_that_fits_says_what_comes_next(self) -> None:
        status, out, _ = run("port", self.tree)
        self.assertEqual(status, 0)
        self.assertIn("make test", out)

    def test_all_that_is_to_be_done_is_named_at_once(self) -> None:
        self.edit(SENSORS, "self._goals.clear()", "self._goals.clear()\n        a = 1")
        self.edit(SELECTORS, "def highest_confidence_goal", "def best_goal")
        self.edit(SENSORS, "self._goals = [", "self._goals = [] and [")
        found = self.findings()
        changed = found[f"{SENSORS} SalienceSM.step ReplaceStatements"]
        moved = found[f"{SELECTORS} highest_confidence_goal ReplaceStatements"]
        self.assertEqual(len(found), 2)
        self.assertEqual(changed["status"], "changed")
        self.assertIn("[] and [", changed["present"])
        self.assertEqual(moved["status"], "moved")
        self.assertEqual(moved["match"]["name"], "best_goal")
        self.assertGreater(moved["match"]["score"], 0.6)
        for row in (changed, moved):
            file, line = row["edit"].split(":")
            text = (Path(__file__).parents[3] / file).read_text("utf-8")
            self.assertTrue(text.splitlines()[int(line) - 1].strip())
        _, table, _ = run("port", self.tree)
        self.assertIn("moved", table)
        self.assertIn("best_goal", table)
        self.assertIn("--accept array_goals", table)

    def test_what_was_looked_at_is_accepted(self) -> None:
        self.edit(SENSORS, "self._goals = [", "self._goals = [] and [")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "array_goals.json"
            with patch.object(fingerprints, "_file", lambda _: file):
                self.assertEqual(run("port", self.tree, "--accept", STEP.name)[0], 0)
                self.assertEqual(self.findings(), {})
            self.assertNotIn("_goals =", file.read_text())

    def test_a_step_that_is_not_there(self) -> None:
        status, _, err = run("port", self.tree, "--step", "nothing")
        self.assertEqual(status, 2)
        self.assertIn("no step nothing", err)
