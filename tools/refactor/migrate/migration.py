# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Migrates files, in memory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable, Collection, Iterable, Sequence

import libcst as cst

from .class_index import ClassIndex
from .documents import Document, find_files, read_document
from .marks import marks_in
from .notebook import Unreadable
from .rule import Change, PythonFile, Rule, rewritten
from .rules_in_order import RULES
from .whole_overrides import WholeOverrides

__all__ = ["Finding", "Migration", "migrate"]

NOT_PARSED = "not-parsed"
"""The rule id of findings about files that could not be read."""

_PARSED_BY_HAND = (
    "Migrate it by hand, or mend it and run migrate again. The file was not changed."
)


@dataclass(frozen=True, order=True)
class Finding:
    """A place that was changed, or that is left to do by hand.

    Attributes:
        file: The file.
        line: The line: of a change, in the original text; of what is left to do, in
            the new text. In a notebook, the line within the cell.
        rule: The id of the rule.
        what: What was changed, or what prevents a change.
        by_hand: What to do by hand; empty if it was changed.
        cell: The number of a notebook's cell, the first being 1.
    """

    file: str
    line: int
    rule: str
    what: str
    by_hand: str = ""
    cell: int | None = None

    @property
    def place(self) -> str:
        cell = "" if self.cell is None else f"cell {self.cell}:"
        return f"{self.file}:{cell}{self.line}"


@dataclass
class Migration:
    """The result of a migration.

    Attributes:
        files: How many files were examined.
        original: The present bytes of the files that change.
        changed: Their new bytes.
        changes: What was changed.
        by_hand: What is left to do.
    """

    files: int = 0
    original: dict[Path, bytes] = field(default_factory=dict)
    changed: dict[Path, bytes] = field(default_factory=dict)
    changes: list[Finding] = field(default_factory=list)
    by_hand: list[Finding] = field(default_factory=list)


def migrate(
    paths: Iterable[Path],
    disabled: Collection[str] = (),
    progress: Callable[[Path], None] = lambda _: None,
) -> Migration:
    """Migrate all files at some paths, as one project.

    Args:
        paths: Files and folders.
        disabled: The ids of rules to skip.
        progress: Called with each file that is migrated.

    Returns:
        The result. Nothing is written.
    """
    rules = [rule for rule in RULES if rule.id not in disabled]
    migration = Migration()
    documents: list[Document] = []
    for path in find_files(paths):
        migration.files += 1
        try:
            documents.append(read_document(path))
        except Unreadable as error:
            migration.by_hand.append(_not_looked_at(path, 1, str(error)))
    texts = {one.path.absolute(): one.text for one in documents if one.is_python}
    index = ClassIndex(texts)
    overrides = WholeOverrides(index, rules)
    for document in documents:
        unparsed = document.notebook.unparsed if document.notebook else {}
        migration.by_hand += [
            _not_looked_at(document.path, 1, "this cell is not Python", cell)
            for cell, source in unparsed.items()
            if _concerned(rules, source)
        ]
        if _concerned(rules, document.text):
            progress(document.path)
            file = PythonFile(document.path.absolute(), index, overrides.in_the_way)
            _migrate(document, file, rules, migration)
    migration.changes.sort()
    migration.by_hand.sort()
    return migration


def _migrate(
    document: Document, file: PythonFile, rules: Sequence[Rule], migration: Migration
) -> None:
    try:
        text, changes = _rewritten(document, file, rules)
    except (cst.ParserSyntaxError, _Invalid) as error:
        line = getattr(error, "raw_line", 1)
        reason = getattr(error, "message", str(error))
        migration.by_hand.append(
            _not_looked_at(document.path, line, f"is not valid Python: {reason}")
        )
        return
    migration.changes += [
        _located(document, document.text, one.line, one.rule, one.what)
        for one in changes
    ]
    advice = {rule.id: rule.by_hand for rule in rules}
    migration.by_hand += [
        _located(document, text, mark.line, mark.rule, mark.what, advice[mark.rule])
        for mark in marks_in(text)
        if mark.rule in advice
    ]
    if text != document.text:
        migration.original[document.path] = document.encoded(document.text)
        migration.changed[document.path] = document.encoded(text)


def _concerned(rules: Sequence[Rule], text: str) -> list[Rule]:
    """Return the rules that may apply to a text."""
    return [rule for rule in rules if rule.may_concern(text)]


class _Invalid(Exception):
    """A text is not valid Python, before or after a rule."""


def _rewritten(
    document: Document, file: PythonFile, rules: Sequence[Rule]
) -> tuple[str, list[Change]]:
    if not document.is_python:
        return _rewritten_config(document.text, rules)
    text, changes = rewritten(document.text, file, rules)
    if document.notebook is None and text != document.text:
        try:
            compile(text, str(document.path), "exec", dont_inherit=True)
        except SyntaxError as error:
            raise _Invalid(f"it would not be after migrating it: {error}") from error
    return text, changes


def _rewritten_config(text: str, rules: Sequence[Rule]) -> tuple[str, list[Change]]:
    changes: list[Change] = []
    for rule in rules:
        if rule.rewrite_text is not None and rule.may_concern(text):
            text, made = rule.rewrite_text(text)
            changes += [replace(one, rule=rule.id) for one in made]
    return text, changes


def _located(
    document: Document, text: str, line: int, rule: str, what: str, by_hand: str = ""
) -> Finding:
    cell = None
    if document.notebook is not None:
        cell, line = document.notebook.place(text, line)
    return Finding(str(document.path), line, rule, what, by_hand, cell)


def _not_looked_at(
    path: Path, line: int, what: str, cell: int | None = None
) -> Finding:
    return Finding(str(path), line, NOT_PARSED, what, _PARSED_BY_HAND, cell)
