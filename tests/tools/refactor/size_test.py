# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How much a reviewer of the change proposed to upstream has to read."""

from __future__ import annotations

from pathlib import Path

from monty_tools.refactor.branch import make_branch
from monty_tools.refactor.document_series import with_sizes
from monty_tools.refactor.series import PARTS, steps_through
from tests.tools.refactor.branch_test import CheckoutTestCase

RFC = Path(__file__).parents[3] / "rfcs" / "0000_two_phase_learning_modules.md"
MOST_CHANGED_BY_A_COMMIT = 210
MOST_CHANGED_BY_CORE = 500
MOST_ADDED_BY_CORE = 560


class SizeTest(CheckoutTestCase):
    def test_commits_and_core_are_small_and_as_the_rfc_says(self) -> None:
        commits = make_branch(self.tree, "small", series=steps_through("core"))
        for commit in commits:
            with self.subTest(commit.title):
                self.assertLessEqual(commit.changed, MOST_CHANGED_BY_A_COMMIT)
        core = commits[: len(PARTS["core"])]
        with self.subTest("existing files"):
            changed = sum(commit.changed for commit in core)
            self.assertLessEqual(changed, MOST_CHANGED_BY_CORE)
        with self.subTest("new files"):
            added = sum(commit.added for commit in core)
            self.assertLessEqual(added, MOST_ADDED_BY_CORE)
        rfc = RFC.read_text("utf-8")
        self.assertEqual(with_sizes(rfc, commits), rfc, "run make docs")
