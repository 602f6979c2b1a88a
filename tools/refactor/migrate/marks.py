# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Comments that mark what is left to do by hand."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import Sequence, TypeVar

import libcst as cst

from ..nodes import Statement
from ..phases.columns import MAX_COLUMNS

__all__ = [
    "Mark",
    "Marked",
    "has_mark",
    "marked",
    "marking_rules",
    "marks_in",
    "unmarked",
    "with_marks_of_first_statement",
]

_FIRST = re.compile(
    r"^\s*# monty-refactor\[(?P<rule>[a-z-]+)\]: (?P<what>.*)$", re.MULTILINE
)
_NEXT = re.compile(r"^\s*#   (?P<what>\S.*)$")

Marked = TypeVar(
    "Marked",
    cst.SimpleStatementLine,
    cst.FunctionDef,
    cst.ClassDef,
    cst.With,
    cst.If,
    cst.While,
    cst.For,
    Statement,
)


@dataclass(frozen=True)
class Mark:
    """A mark in a text."""

    line: int
    rule: str
    what: str


def marked(statement: Marked, rule: str, what: str, indent: int) -> Marked:
    """Put a mark above a statement, and replace an earlier mark of the rule.

    Args:
        statement: The statement.
        rule: The id of the rule.
        what: What prevents the change.
        indent: The column at which the statement begins.
    """
    lines = textwrap.wrap(
        f"# monty-refactor[{rule}]: {what}",
        MAX_COLUMNS - indent,
        subsequent_indent="#   ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    comments: list[cst.EmptyLine] = [
        cst.EmptyLine(comment=cst.Comment(line)) for line in lines
    ]
    statement = unmarked(statement, rule)
    return statement.with_changes(leading_lines=[*statement.leading_lines, *comments])


def unmarked(statement: Marked, rule: str) -> Marked:
    """Remove the marks of a rule from a statement."""
    kept: list[cst.EmptyLine] = []
    in_mark = False
    for line in statement.leading_lines:
        text = line.comment.value if line.comment else ""
        first = _FIRST.match(text)
        if first:
            in_mark = first["rule"] == rule
        elif not _NEXT.match(text):
            in_mark = False
        if not in_mark:
            kept.append(line)
    if len(kept) == len(statement.leading_lines):
        return statement
    return statement.with_changes(leading_lines=kept)


def marking_rules(statement: Marked) -> set[str]:
    """Return the rules whose marks are above a statement."""
    comments = [one.comment.value for one in statement.leading_lines if one.comment]
    return {first["rule"] for one in comments if (first := _FIRST.match(one))}


def with_marks_of_first_statement(module: cst.Module) -> cst.Module:
    """Move marks from the header of a module to its first statement.

    LibCST takes comments above the first statement for the module's.
    """
    comments = [one.comment.value if one.comment else "" for one in module.header]
    at = next((at for at, one in enumerate(comments) if _FIRST.match(one)), None)
    if at is None or not module.body:
        return module
    first, *others = module.body
    lines = [*module.header[at:], *first.leading_lines]
    first = first.with_changes(leading_lines=lines)
    return module.with_changes(header=module.header[:at], body=[first, *others])


def has_mark(text: str) -> bool:
    """Return whether there is a mark in a text."""
    return _FIRST.search(text) is not None


def marks_in(text: str) -> list[Mark]:
    """Return the marks in a text, with their lines."""
    marks: list[Mark] = []
    lines: Sequence[str] = text.splitlines()
    for number, line in enumerate(lines, 1):
        first = _FIRST.match(line)
        if first is None:
            continue
        parts = [first["what"]]
        for following in lines[number:]:
            more = _NEXT.match(following)
            if more is None:
                break
            parts.append(more["what"])
        marks.append(Mark(number, first["rule"], " ".join(parts)))
    return marks
