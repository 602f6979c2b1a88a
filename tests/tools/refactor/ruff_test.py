# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Ruff lays out what codemods wrote, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
import unittest
from collections import Counter

from monty_tools.refactor.ruff import Ruff
from monty_tools.refactor.run import Run
from monty_tools.refactor.series import SERIES
from monty_tools.refactor.tree import Tree
from tests.tools.refactor.upstream_copy import UpstreamCopyTestCase, planned

_IMPORT_OR_COMMENT = re.compile(r"(import|from)\b|#|\w+,$")
"""Imports are sorted; a comment above a statement goes with it."""


class LaidOutTest(unittest.TestCase):
    def test_only_what_differs_is_laid_out(self) -> None:
        before = "def a( x ):\n    return  x\n\n\ndef b( x ):\n    return  x\n"
        made = before.replace("x\n\n", "f( x,y )\n\n")
        after = before.replace("return  x\n\n", "return f(x, y)\n\n")
        self.assertEqual(Ruff().laid_out(before, made), after)

    def test_nothing_new_is_nothing_laid_out(self) -> None:
        text = "import b\nimport a\nx=1\n"
        self.assertEqual(Ruff().laid_out(text, text), text)


class AnotherLineLengthTest(UpstreamCopyTestCase):
    def test_a_release_in_another_layout_is_touched_only_where_steps_change_it(
        self,
    ) -> None:
        ruff = [sys.executable, "-m", "ruff", "format", "--isolated", "--quiet"]
        for columns in (70, 120):
            subprocess.run([*ruff, f"--line-length={columns}", self.tree], check=True)
            (self.tree / "pyproject.toml").write_text(f"line-length = {columns}\n")
            with self.subTest(columns):
                self.check()

    def check(self) -> None:
        tree = Tree.at(self.tree)
        run = Run(tree)
        for step in SERIES:
            run.apply(step)
        self.assertEqual([one.key for one in run.refusals()], [])
        plan = run.plan()
        self.assertEqual(set(plan.rewritten), set(planned("perf").rewritten))
        taken = Counter(
            line.strip()
            for trial in run.trials
            for span in trial.spans
            for line in span.text.splitlines()
        )
        for file, text in plan.rewritten.items():
            gone = _lines(plan.original[file] or "") - _lines(text) - taken
            left = {line for line in gone if not _IMPORT_OR_COMMENT.match(line)}
            with self.subTest(file):
                self.assertFalse(left)


def _lines(text: str) -> Counter[str]:
    return Counter(line.strip() for line in text.splitlines())
