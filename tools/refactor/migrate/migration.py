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

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Collection, Iterable

from .document_migration import NOT_PARSED, Finding, not_looked_at
from .documents import Document, find_files, monty_around, read_document
from .notebook import Unreadable
from .rules_in_order import RULES
from .workers import migrate_documents

__all__ = ["Migration", "migrate"]

_MENTIONS_MONTY = re.compile(r"\btbp\b")


@dataclass
class Migration:
    """The result of a migration.

    Attributes:
        files: How many files were examined.
        monty: Copies of tbp.monty among the files, which are only read.
        original: The present bytes of the files that change.
        changed: Their new bytes.
        changes: What was changed.
        by_hand: What is left to do.
    """

    files: int = 0
    monty: set[Path] = field(default_factory=set)
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

    def is_concerned(text: str) -> bool:
        return any(rule.may_concern(text) for rule in rules)

    project = _read(paths, is_concerned)
    migration = Migration(project.files, project.monty)
    left = [*project.unread]
    for done in migrate_documents(
        project.concerned, project.texts, project.of_monty, [rule.id for rule in rules]
    ):
        progress(done.path)
        migration.changes += done.changes
        left += done.by_hand
        if done.original is not None and done.changed is not None:
            migration.original[done.path] = done.original
            migration.changed[done.path] = done.changed
    # What does not parse in a project without Monty is nobody's concern.
    migration.by_hand += [
        one for one in left if project.mentions_monty or one.rule != NOT_PARSED
    ]
    migration.changes.sort()
    migration.by_hand.sort()
    return migration


@dataclass
class _Project:
    """The files of a project.

    Attributes:
        files: How many there are, without those of tbp.monty.
        monty: Copies of tbp.monty among them.
        of_monty: The files of these copies.
        texts: The text of every Python file.
        concerned: The files that a rule may apply to.
        unread: The files and cells among these that cannot be read.
        mentions_monty: Whether any file does.
    """

    files: int = 0
    monty: set[Path] = field(default_factory=set)
    of_monty: set[Path] = field(default_factory=set)
    texts: dict[Path, str] = field(default_factory=dict)
    concerned: list[Document] = field(default_factory=list)
    unread: list[Finding] = field(default_factory=list)
    mentions_monty: bool = False


def _read(paths: Iterable[Path], is_concerned: Callable[[str], bool]) -> _Project:
    project = _Project()
    for path in find_files(paths):
        monty = monty_around(path)
        if monty is not None:
            project.monty.add(monty)
            project.of_monty.add(path.absolute())
        else:
            project.files += 1
        text: str | None
        try:
            document = read_document(path)
        except Unreadable as error:
            text = _text_of_sorts(path)
            if monty is None and (text is None or is_concerned(text)):
                project.unread.append(not_looked_at(path, 1, str(error)))
        else:
            text = document.text
            if document.is_python:
                project.texts[path.absolute()] = text
            if monty is None and is_concerned(text):
                project.concerned.append(document)
            if monty is None and document.notebook is not None:
                project.unread += [
                    not_looked_at(path, 1, "this cell is not Python", cell)
                    for cell, source in document.notebook.unparsed.items()
                    if is_concerned(source)
                ]
        project.mentions_monty |= bool(_MENTIONS_MONTY.search(text or ""))
    return project


def _text_of_sorts(path: Path) -> str | None:
    """Return the text of a file whatever its encoding; None if it cannot be read."""
    try:
        return path.read_bytes().decode("latin-1")
    except OSError:
        return None
