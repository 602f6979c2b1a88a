# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Migrates one file of a project, in memory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Sequence

import libcst as cst

from .class_index import ClassIndex
from .documents import Document
from .marks import marks_in
from .rule import Change, PythonFile, Rule, rewritten
from .whole_overrides import WholeOverrides

__all__ = [
    "NOT_PARSED",
    "DocumentMigration",
    "Finding",
    "MigratedDocument",
    "not_looked_at",
]

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


@dataclass(frozen=True)
class MigratedDocument:
    """What became of a file.

    Attributes:
        path: Where it is.
        original: Its present bytes, if it changes.
        changed: Its new bytes, if it changes.
        changes: What was changed.
        by_hand: What is left to do.
    """

    path: Path
    original: bytes | None = None
    changed: bytes | None = None
    changes: Sequence[Finding] = ()
    by_hand: Sequence[Finding] = ()


@dataclass
class DocumentMigration:
    """Migrates files of a project, one by one.

    Attributes:
        index: The classes of the project.
        rules: The rules.
    """

    index: ClassIndex
    rules: Sequence[Rule]
    _overrides: WholeOverrides = field(init=False)

    def __post_init__(self) -> None:
        self._overrides = WholeOverrides(self.index, self.rules)

    def migrate(self, document: Document) -> MigratedDocument:
        path = document.path
        try:
            text, changes = self._rewritten(document)
        except (cst.ParserSyntaxError, _Invalid) as error:
            line = getattr(error, "raw_line", 1)
            reason = getattr(error, "message", str(error))
            left = not_looked_at(path, line, f"is not valid Python: {reason}")
            return MigratedDocument(path, by_hand=[left])
        advice = {rule.id: rule.by_hand for rule in self.rules}
        return MigratedDocument(
            path,
            document.encoded(document.text) if text != document.text else None,
            document.encoded(text) if text != document.text else None,
            [
                _located(document, document.text, one.line, one.rule, one.what)
                for one in changes
            ],
            [
                _located(document, text, one.line, one.rule, one.what, advice[one.rule])
                for one in marks_in(text)
                if one.rule in advice
            ],
        )

    def _rewritten(self, document: Document) -> tuple[str, list[Change]]:
        if not document.is_python:
            return _rewritten_config(document.text, self.rules)
        path = document.path.absolute()
        file = PythonFile(path, self.index, self._overrides.in_the_way)
        text, changes = rewritten(document.text, file, self.rules)
        if document.notebook is None and text != document.text:
            try:
                compile(text, str(document.path), "exec", dont_inherit=True)
            except SyntaxError as error:
                raise _Invalid(
                    f"it would not be after migrating it: {error}"
                ) from error
        return text, changes


class _Invalid(Exception):
    """A text is not valid Python, before or after a rule."""


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


def not_looked_at(path: Path, line: int, what: str, cell: int | None = None) -> Finding:
    """Describe a file, or a cell of it, that could not be read."""
    return Finding(str(path), line, NOT_PARSED, what, _PARSED_BY_HAND, cell)
