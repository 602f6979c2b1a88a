# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

from tests.tools.refactor.migrate.cases_test import run
from tests.tools.refactor.migrate.command_test import IMPORT

CLASS = '''class CountingLM(EvidenceGraphLM):
    def matching_step(self, ctx, percepts):
        self.größe = len(percepts)
        super().matching_step(ctx, percepts)
        self.stepped = True


TEXT = """
%not a magic
"""'''


def notebook(*cells: str, as_lines: bool = True, **more) -> dict:
    return {
        "cells": [
            {
                "cell_type": "markdown" if source.startswith("# ") else "code",
                "metadata": {"größe": 1},
                "source": source.splitlines(keepends=True) if as_lines else source,
                **({} if source.startswith("# ") else {"outputs": [{"x": [1, 2]}]}),
            }
            for source in cells
        ],
        "metadata": {},
        "nbformat": 4,
        **more,
    }


def sources(path: Path) -> list[str]:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells]


class NotebookTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "own.ipynb"

    def write(self, content: dict, **layout) -> str:
        layout = {"indent": 1, "ensure_ascii": False, **layout}
        text = json.dumps(content, **layout) + "\n"
        self.path.write_text(text, "utf-8")
        return text

    def test_cells_are_migrated_together(self) -> None:
        magic = "%matplotlib inline\nfrom pathlib import Path\n!ls -l\n"
        self.write(notebook("# A title", magic, IMPORT, CLASS, "await lm.ready()"))
        status, out, _ = run(self.path)
        self.assertEqual(status, 0, out)
        *unchanged, cell, last = sources(self.path)
        self.assertEqual(unchanged, ["# A title", magic, IMPORT])
        self.assertEqual(last, "await lm.ready()")
        self.assertIn("    def process_matching_step(self, pending):", cell)
        self.assertTrue(cell.endswith('"""\n%not a magic\n"""'), cell)
        self.assertIn(f"{self.path}:cell 4:2: split-override", out)
        before = self.path.read_bytes()
        self.assertEqual(run(self.path)[0], 0)
        self.assertEqual(self.path.read_bytes(), before)

    def test_any_layout_is_kept(self) -> None:
        layouts = (
            dict(indent=1, ensure_ascii=False),
            dict(indent=4, ensure_ascii=True),
            dict(indent=None),
        )
        for layout in layouts:
            for as_lines in (True, False):
                with self.subTest(layout=layout, as_lines=as_lines):
                    content = notebook(IMPORT, CLASS, as_lines=as_lines)
                    before = self.write(content, **layout)
                    run(self.path)
                    content = json.loads(self.path.read_text("utf-8"))
                    rewritten = sources(self.path)
                    self.assertIn("dispatch_matching_step", rewritten[1])
                    for cell, old in zip(
                        content["cells"], (IMPORT, CLASS), strict=True
                    ):
                        cell["source"] = (
                            old.splitlines(keepends=True) if as_lines else old
                        )
                    self.write(content, **layout)
                    self.assertEqual(self.path.read_text("utf-8"), before)

    def test_a_format_that_cannot_be_kept_is_reported(self) -> None:
        text = self.write(notebook(IMPORT, CLASS)).replace(
            '"nbformat": 4', '"nbformat":4'
        )
        self.path.write_text(text, "utf-8")
        status, out, _ = run(self.path)
        self.assertEqual(status, 3)
        self.assertIn("cannot be written back as it is formatted", out)
        self.assertEqual(self.path.read_text("utf-8"), text)

    def test_cells_that_are_not_python_are_reported_or_kept(self) -> None:
        others = [
            "%%bash\necho 'def matching_step",
            "def matching_step(self):\n    x = !ls",
            "y = !ls",
            f"%%writefile lm.py\n{IMPORT}{CLASS}",
        ]
        self.write(notebook(*others, IMPORT, CLASS))
        status, out, _ = run(self.path)
        self.assertEqual(status, 3)
        self.assertIn(f"{self.path}:cell 2:1: not-parsed", out)
        self.assertIn(f"{self.path}:cell 4:1: not-parsed", out)
        self.assertEqual(out.count("not-parsed"), 2)
        *unchanged, _, rewritten = sources(self.path)
        self.assertEqual(unchanged, others)
        self.assertIn("dispatch_matching_step", rewritten)

    def test_a_file_that_is_no_notebook_is_reported(self) -> None:
        for text in ("{%s", '{"cells": %s}', "[%s]", '{"cells": [{"source": %s}]}'):
            with self.subTest(text):
                self.path.write_text(text % '"from tbp; def matching_step"')
                status, out, _ = run(self.path)
                self.assertEqual(status, 3)
                self.assertIn("is not a notebook", out)
