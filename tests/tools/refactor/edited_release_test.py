# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What the series makes of releases that upstream has changed, and what `port` says."""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from monty_tools.refactor.normal import normal
from monty_tools.refactor.port.findings import Status, find_all
from monty_tools.refactor.port.places import Places
from monty_tools.refactor.refusal import made_for, rows_of
from monty_tools.refactor.run import Run
from monty_tools.refactor.series import SERIES
from monty_tools.refactor.spans import Span
from monty_tools.refactor.step import Step
from monty_tools.refactor.tree import Tree
from monty_tools.refactor.upstream import obtain
from tests.tools.refactor.edits import EDITS, MOVES, Edit, Texts
from tests.tools.refactor.upstream_copy import UpstreamCopyTestCase

RIGHT = 0.9


class EditedReleaseTestCase(UpstreamCopyTestCase):
    def texts(self, edit: Edit) -> Texts:
        return {file: self.file(file).read_text("utf-8") for file in edit.files}

    def run_series(self, edit: Edit) -> Run:
        """Make an edit, and run what the series does to the files that it changes."""
        texts = self.texts(edit)
        edit.make(texts)
        for file, text in texts.items():
            self.file(file).write_text(text, "utf-8")
        run = Run(Tree.at(self.tree))
        for step in SERIES:
            run.apply(_in_files(step, edit.files))
        return run

    def undo(self, edit: Edit) -> None:
        for file in edit.files:
            pristine = obtain().import_root / "tbp/monty" / file
            self.file(file).write_bytes(pristine.read_bytes())


class ApplyTest(EditedReleaseTestCase):
    def test_the_fork_is_right_or_the_series_refuses(self) -> None:
        self.assertGreaterEqual(len(EDITS), 30)
        for edit in EDITS:
            with self.subTest(edit.what):
                run = self.run_series(edit)
                edited = self.texts(edit)
                self.undo(edit)
                refusals = run.refusals()
                if edit.applies is not None:
                    said = [(trial.key, str(trial.failure)) for trial in refusals]
                    self.assertEqual(not refusals, edit.applies, said)
                if refusals:
                    for trial in refusals:
                        self.assertIn("codemod", dict(rows_of(trial)))
                    continue
                results = {
                    file.removeprefix("tbp/monty/"): text
                    for file, text in run.plan().rewritten.items()
                }
                self.assert_nothing_lost(edited, results)

    def assert_nothing_lost(self, edited: Texts, results: Texts) -> None:
        """Check that what is gone is what steps take away from the pinned release."""
        gone = _statements(edited.values())
        gone -= _statements({**edited, **results}.values())
        self.assertFalse(gone - _taken())


class PortTest(EditedReleaseTestCase):
    def test_what_moved_is_found(self) -> None:
        pinned = Places(obtain())
        asked = right = 0
        for edit in MOVES:
            run = self.run_series(edit)
            findings = find_all(run, pinned, Places(Tree.at(self.tree)))
            self.undo(edit)
            with self.subTest(edit.what):
                to_do = [one for one in findings if one.is_to_do]
                self.assertTrue(to_do)
                for finding in to_do:
                    self.assertTrue(finding.ours)
            for finding in findings:
                for new in edit.moved:
                    if finding.status in (Status.OK, Status.WAITS):
                        continue
                    asked += 1
                    right += finding.match is not None and _is_at(finding.match, new)
        self.assertGreaterEqual(asked, len(MOVES))
        self.assertGreaterEqual(right / asked, RIGHT, f"{right} of {asked}")


def _is_at(match, new: str) -> bool:
    file, name = new.split()
    return match.place.file == file and (f"{match.place.name}.").startswith(f"{name}.")


def _in_files(step: Step, files: Iterable[str]) -> Step:
    own = [rewrite for rewrite in step.rewrites if rewrite.file in files]
    return replace(step, rewrites=own, overlay=())


@functools.cache
def _taken() -> Counter[str]:
    texts = []
    for trial in made_for().values():
        texts += [_whole(span) for span in trial.spans]
    return _statements(texts)


def _whole(span: Span) -> str:
    """Return the text of a span as statements, if it is only the head of one."""
    try:
        ast.parse(span.text)
    except SyntaxError:
        text = span.text.removeprefix("el")
        return f"{text}\n    pass"
    return span.text


def _statements(texts: Iterable[str]) -> Counter[str]:
    return Counter(form for text in texts for form in _forms(ast.parse(text)))


def _forms(tree: ast.AST) -> Iterator[str]:
    """Yield simple statements, heads of others, and lines of docstrings."""
    blocks = {"body", "orelse", "finalbody", "handlers", "cases"}
    for node in ast.walk(tree):
        match node:
            case ast.Import() | ast.ImportFrom():
                continue
            case ast.Expr(ast.Constant(str(text))):
                yield from (f"Line {line.split()}" for line in text.splitlines())
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield f"{type(node).__name__} {name}"
            case ast.stmt():
                fields = [
                    one for name, one in ast.iter_fields(node) if name not in blocks
                ]
                yield f"{type(node).__name__} {list(map(normal, fields))}"
