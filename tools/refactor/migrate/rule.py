# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a rule of `migrate` is."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable, Sequence

import libcst as cst

from .class_index import ClassIndex, ProjectClass
from .elision import Elided
from .marks import has_mark

__all__ = ["Change", "PythonFile", "Rule", "rewritten"]


@dataclass(frozen=True)
class Change:
    """A place that a rule has changed, in the text that it was given."""

    line: int
    what: str
    rule: str = ""


@dataclass
class PythonFile:
    """A module while the rules are applied to it.

    Attributes:
        path: Where it is.
        index: What the classes of the project are.
        in_the_way: Says why a class may not have halves of a method; None to find out
            what could be split on its own.
        changes: What the current rule has changed.
    """

    path: Path
    index: ClassIndex
    in_the_way: Callable[[ProjectClass, str], str | None] | None = None
    changes: list[Change] = field(default_factory=list)


@dataclass(frozen=True)
class Rule:
    """One change that callers must follow.

    Attributes:
        id: Its name in marks, reports and `--disable`.
        summary: What it does, in one line.
        by_hand: What to do by hand where it cannot change the code.
        words: A pattern. The rule does not apply to a text without it, so most files
            need not be parsed.
        rewrite: Changes a module, and marks in it what it cannot change.
        rewrite_text: Changes the text of a config.
    """

    id: str
    summary: str
    by_hand: str
    words: str
    rewrite: Callable[[cst.Module, PythonFile], cst.Module]
    rewrite_text: Callable[[str], tuple[str, list[Change]]] | None = None

    def may_concern(self, text: str) -> bool:
        """Return whether the rule may apply to a text."""
        return re.search(self.words, text) is not None


def rewritten(
    text: str, file: PythonFile, rules: Sequence[Rule]
) -> tuple[str, list[Change]]:
    """Apply rules to the text of a Python file, in order.

    Returns:
        The new text, and what was changed, with lines of the former text.
    """

    def needed(part: str) -> bool:
        return has_mark(part) or any(rule.may_concern(part) for rule in rules)

    elided = Elided(text, needed)
    original = text = elided.text
    changes = []
    for rule in rules:
        if rule.may_concern(text):
            file = replace(file, changes=[])
            before, text = text, rule.rewrite(cst.parse_module(text), file).code
            for one in file.changes:
                line = elided.line(_line_in(original, before, one.line))
                changes.append(Change(line, one.what, rule.id))
    return elided.restored(text), changes


def _line_in(original: str, text: str, line: int) -> int:
    """Return the line of the original text that a line of a changed text comes from."""
    if original == text:
        return line
    matcher = difflib.SequenceMatcher(
        None, original.splitlines(), text.splitlines(), autojunk=False
    )
    nearest = 1
    for start, there, size in matcher.get_matching_blocks():
        if there >= line:
            break
        nearest = start + min(line - there, size)
    return nearest
