# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Migrates a project, in memory."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Collection, Iterable

from .attributes import Attributes
from .classes import Classes
from .documents import Document, find_files, monty_around, read_document
from .notebook import Unreadable
from .rule import Left, Noted, Place, Project, PythonFile, Rule
from .rules_in_order import RULES
from .source import Edit, applied, moved

__all__ = ["NOT_PARSED", "Finding", "Migration", "edits_of", "look_at", "migrate"]

NOT_PARSED = "not-parsed"
"""The rule id of findings about files that could not be read."""
_PARSED_BY_HAND = (
    "Migrate it by hand, or mend it and run migrate again. The file was not changed."
)
_MENTIONS_MONTY = re.compile(r"\btbp\b")


@dataclass(frozen=True, order=True)
class Finding:
    """A place that was changed, or that was left as it is.

    Attributes:
        file: The file.
        line: The line: of a change, in the original text; of what was left, in the new
            text. In a notebook, the line within the cell.
        rule: The id of the rule.
        what: What was changed, or what prevents a change.
        advice: What to do by hand; empty if it was changed.
        cell: The number of a notebook's cell, the first being 1.
    """

    file: str
    line: int
    rule: str
    what: str
    advice: str = ""
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
        monty: Copies of tbp.monty among the files, which are only read.
        original: The present bytes of the files that change.
        changed: Their new bytes.
        changes: What was changed.
        by_hand: What is left to do by hand.
        works: What works as it is, and could be done.
    """

    files: int = 0
    monty: set[Path] = field(default_factory=set)
    original: dict[Path, bytes] = field(default_factory=dict)
    changed: dict[Path, bytes] = field(default_factory=dict)
    changes: list[Finding] = field(default_factory=list)
    by_hand: list[Finding] = field(default_factory=list)
    works: list[Finding] = field(default_factory=list)


def migrate(paths: Iterable[Path], disabled: Collection[str] = ()) -> Migration:
    """Migrate all files at some paths, as one project.

    Args:
        paths: Files and folders.
        disabled: The ids of rules to skip.

    Returns:
        The result. Nothing is written.
    """
    rules = [rule for rule in RULES if rule.id not in disabled]
    migration = Migration()
    read = _Reading(migration, rules)
    for path in find_files(paths):
        read.file(path)
    if read.mentions_monty:
        # What does not parse in a project without Monty is nobody's concern.
        migration.by_hand += read.unread
    classes = Classes(read.texts, read.of_monty)
    project = Project(classes, Attributes(classes))
    for document in read.concerned if read.mentions_monty else ():
        _migrate(document, project, rules, migration)
    for findings in (migration.changes, migration.by_hand, migration.works):
        findings.sort()
    return migration


@dataclass
class _Reading:
    """Reads the files of a project.

    Attributes:
        migration: Counts them.
        rules: The rules.
        texts: The text of every Python file.
        of_monty: The files that belong to a copy of tbp.monty.
        concerned: The files that a rule may apply to.
        unread: The files and cells among these that cannot be read.
        mentions_monty: Whether any file does.
    """

    migration: Migration
    rules: Collection[Rule]
    texts: dict[Path, str] = field(default_factory=dict)
    of_monty: set[Path] = field(default_factory=set)
    concerned: list[Document] = field(default_factory=list)
    unread: list[Finding] = field(default_factory=list)
    mentions_monty: bool = False

    def file(self, path: Path) -> None:
        monty = monty_around(path)
        if monty is not None:
            self.migration.monty.add(monty)
            self.of_monty.add(path.absolute())
        else:
            self.migration.files += 1
        text: str | None
        try:
            document = read_document(path)
        except Unreadable as error:
            text = _text_of_sorts(path)
            if monty is None and (text is None or self._concerns(text)):
                self.unread.append(_not_looked_at(path, 1, str(error)))
        else:
            text = document.text
            if document.is_python:
                self.texts[path.absolute()] = text
            if monty is None and self._concerns(text):
                self.concerned.append(document)
            if monty is None and document.notebook is not None:
                self.unread += [
                    _not_looked_at(path, 1, "this cell is not Python", cell)
                    for cell, source in document.notebook.unparsed.items()
                    if self._concerns(source)
                ]
        self.mentions_monty |= bool(_MENTIONS_MONTY.search(text or ""))

    def _concerns(self, text: str) -> bool:
        return any(rule.may_concern(text) for rule in self.rules)


def look_at(
    document: Document, project: Project, rules: Iterable[Rule]
) -> list[tuple[Rule, Place]]:
    """Return what rules find in a file.

    Raises:
        Unreadable: If it is not valid Python, with the line and the reason.
    """
    path = document.path.absolute()
    found: list[tuple[Rule, Place]] = []
    for rule in (one for one in rules if one.may_concern(document.text)):
        if document.is_python:
            source, names = project.classes.source(path), project.classes.names(path)
            if source is None:
                raise Unreadable(*_syntax_error(document.text))
            file = PythonFile(path, source, names, project)
            rule.look(file)
            noted = file.noted
        else:
            noted = Noted()
            if rule.look_at_config is not None:
                rule.look_at_config(document.text, noted)
        found += [(rule, place) for place in noted]
    return found


def edits_of(found: Iterable[tuple[Rule, Place]]) -> set[Edit]:
    return {edit for _, place in found for edit in place.edits}


def _migrate(
    document: Document, project: Project, rules: Iterable[Rule], migration: Migration
) -> None:
    path = document.path
    try:
        found = look_at(document, project, rules)
        edits = edits_of(found)
        if edits:
            _check_compiles(document, applied(document.text, edits))
    except Unreadable as error:
        reason, line = error.args
        migration.by_hand.append(_not_looked_at(path, line, reason))
        return
    if edits:
        migration.original[path] = path.read_bytes()
        migration.changed[path] = document.encoded(edits)
    for rule, place in found:
        left = place.found
        if isinstance(left, str):
            change = Left(left, "")
            change_at = _located(document, (), place.offset, rule, change)
            migration.changes.append(change_at)
            continue
        findings = migration.works if left.works else migration.by_hand
        finding = _located(document, edits, place.offset, rule, left)
        # Several names of a call, for instance.
        if finding not in findings:
            findings.append(finding)


def _check_compiles(document: Document, text: str) -> None:
    if document.is_python and document.notebook is None:
        try:
            compile(text, str(document.path), "exec", dont_inherit=True)
        except SyntaxError as error:
            what = f"is not valid Python, or would not be any more: {error}"
            raise Unreadable(what, 1) from error


def _located(
    document: Document, edits: Collection[Edit], offset: int, rule: Rule, left: Left
) -> Finding:
    cell, start = None, 0
    if document.notebook is not None:
        cell, start = document.notebook.place(offset)
    text = applied(document.text, edits)[moved(start, edits) : moved(offset, edits)]
    line = text.count("\n") + 1
    return Finding(str(document.path), line, rule.id, left.what, left.advice, cell)


def _syntax_error(text: str) -> tuple[str, int]:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None) or 1
        return f"is not valid Python: {getattr(error, 'msg', error)}", line
    return "is not valid Python", 1


def _text_of_sorts(path: Path) -> str | None:
    """Return the text of a file whatever its encoding; None if it cannot be read."""
    try:
        return path.read_bytes().decode("latin-1")
    except OSError:
        return None


def _not_looked_at(
    path: Path, line: int, what: str, cell: int | None = None
) -> Finding:
    """Describe a file, or a cell of it, that could not be read."""
    return Finding(str(path), line, NOT_PARSED, what, _PARSED_BY_HAND, cell)
