# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import pytest

from monty_tools.refactor.failures import GitFailed
from monty_tools.refactor.fork_diff import fork_diff
from monty_tools.refactor.layout import checkout
from monty_tools.refactor.upstream import obtain

STEP = "tools/refactor/steps/lm_groups.py"


class ForkDiffTest(unittest.TestCase):
    """Compares forks that a copy of the project makes, before and after an edit."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "project"
        for part in ("tools", "src"):
            shutil.copytree(
                checkout() / part,
                self.root / part,
                ignore=shutil.ignore_patterns("__pycache__"),
            )
        # Few steps, as what is compared does not depend on how many there are.
        every = "chain.from_iterable(PARTS.values())"
        self.edit("tools/refactor/series.py", every, 'PARTS["core"]')
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
            subprocess.run(["git", "-C", self.root, *identity, *command], check=True)
        self.upstream = obtain().folder

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.root / file
        text = path.read_text("utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), "utf-8")

    @pytest.mark.thorough
    def test_no_change_no_difference(self) -> None:
        self.edit("tools/refactor/diff.py", '"""', '""" ')
        self.assertEqual(fork_diff(self.root, self.upstream), "")

    def test_a_change_of_a_step_shows_in_the_fork(self) -> None:
        self.edit(
            STEP, "Groups of learning modules whose", "Sets of learning modules that"
        )
        difference = fork_diff(self.root, self.upstream)
        self.assertIn("monty_base.py", difference)
        self.assertIn("-            lm_groups: Groups of learning modules", difference)
        self.assertIn("+            lm_groups: Sets of learning modules", difference)
        self.assertEqual(
            subprocess.run(
                ["git", "-C", self.root, "worktree", "list"],
                check=True,
                capture_output=True,
                text=True,
            ).stdout.count("\n"),
            1,
        )

    def test_a_series_that_does_not_apply_says_so(self) -> None:
        self.edit(STEP, 'class_name="MontyBase"', 'class_name="MontyBass"')
        with self.assertRaisesRegex(GitFailed, "looked for"):
            fork_diff(self.root, self.upstream)
