# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The rules, on snippets of code as callers have it."""

from __future__ import annotations

import io
import json
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from monty_tools.refactor import cli
from monty_tools.refactor.migrate.cases import Case, read_cases
from monty_tools.refactor.migrate.document_rules import CASES, DOCUMENT, document
from monty_tools.refactor.migrate.rules_in_order import RULES

ROOT = Path(__file__).parents[4]
ALL_CASES = [*read_cases(ROOT / CASES)]


def run(*arguments: str | Path) -> tuple[int, str, str]:
    """Run the command.

    Returns:
        Exit status, standard output, standard error.
    """
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = cli.main(["migrate", *map(str, arguments)])
    return status, out.getvalue(), err.getvalue()


class CasesTest(unittest.TestCase):
    def migrate(self, case: Case, folder: Path) -> tuple[dict[str, str], list[str]]:
        status, out, err = run("--json", *case.options, folder)
        report = json.loads(out)
        self.assertEqual(err, "")
        self.assertEqual(status, 3 if report["by_hand"] else 0)
        changed = {one["file"] for one in report["changes"]}
        self.assertLessEqual(changed, {*report["changed_files"]})
        texts = {
            str(path.relative_to(folder)): path.read_text("utf-8")
            for path in folder.rglob("*")
            if path.is_file()
        }
        by_hand = [
            f"{Path(one['file']).relative_to(folder)}:{one['line']} {one['rule']}"
            for one in report["by_hand"]
        ]
        return texts, by_hand

    def test_every_case(self) -> None:
        for case in ALL_CASES:
            with self.subTest(case.name), tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                for file, text in case.before.items():
                    (folder / file).parent.mkdir(parents=True, exist_ok=True)
                    (folder / file).write_text(text, "utf-8")
                expected = {**case.before, **case.after}
                for _ in ("the first time", "the second time"):
                    texts, by_hand = self.migrate(case, folder)
                    self.assertEqual(texts, expected)
                    self.assertEqual(by_hand, case.by_hand)

    def test_there_are_enough_of_them(self) -> None:
        self.assertGreaterEqual(len(ALL_CASES), 40)

    def test_every_rule_has_an_example_and_something_it_leaves_or_marks(self) -> None:
        for rule in RULES:
            cases = [case for case in ALL_CASES if case.rule == rule.id]
            stems = [case.path.stem for case in cases]
            with self.subTest(rule.id):
                self.assertIn("example", stems)
                careful = [
                    case
                    for case in cases
                    if case.by_hand or case.path.stem.startswith("left")
                ]
                self.assertTrue(careful)

    def test_a_change_touches_nothing_else(self) -> None:
        (case,) = [one for one in ALL_CASES if one.path.stem == "two_methods"]
        odd = "    def helper(self,x ):   # formatted as its author likes it\n"
        self.assertIn(odd, case.before["lm.py"])
        self.assertIn(odd, case.after["lm.py"])


class DocumentTest(unittest.TestCase):
    def test_the_document_is_current(self) -> None:
        written = (ROOT / DOCUMENT).read_text("utf-8")
        self.assertEqual(written, document(ROOT), "run `make docs`")
