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
from monty_tools.refactor.migrate.rules_in_order import RULES
from tests.tools.refactor.migrate.cases import Case, changes, read_cases

CASES = [*read_cases()]
PAGE = Path(__file__).parents[4] / "docs" / "migrating.md"


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
    def migrate(self, case: Case, folder: Path) -> tuple[dict[str, str], ...]:
        status, out, err = run("--json", *case.options, folder)
        report = json.loads(out)
        self.assertEqual(err, "")
        self.assertEqual(status, 3 if report["by_hand"] else 0)
        changed = {one["file"] for one in report["changes"]}
        self.assertEqual(changed, {*report["changed_files"]})
        texts = {
            str(path.relative_to(folder)): path.read_text("utf-8")
            for path in folder.rglob("*")
            if path.is_file()
        }
        works, by_hand = (
            [
                f"{Path(one['file']).relative_to(folder)}:{one['line']} {one['rule']}"
                for one in report[kind]
            ]
            for kind in ("works", "by_hand")
        )
        return texts, works, by_hand

    def test_every_case(self) -> None:
        for case in CASES:
            name = f"{case.rule}/{case.path.stem}"
            with self.subTest(name), tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                for file, text in case.before.items():
                    (folder / file).parent.mkdir(parents=True, exist_ok=True)
                    (folder / file).write_text(text, "utf-8")
                texts, works, by_hand = self.migrate(case, folder)
                self.assertEqual(changes(case.before, texts), case.changes)
                again = self.migrate(case, folder)
                self.assertEqual(again, (texts, case.works, case.by_hand))
                self.assertEqual((works, by_hand), (case.works, case.by_hand))

    def test_every_rule_has_an_example_and_is_described(self) -> None:
        page = PAGE.read_text("utf-8")
        for rule in RULES:
            with self.subTest(rule.id):
                cases = [case for case in CASES if case.rule == rule.id]
                self.assertIn("example", [case.path.stem for case in cases])
                self.assertTrue(f"`{rule.id}`" in page)
