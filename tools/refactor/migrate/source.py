# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The text of a Python module, where its nodes stand in it, and edits of it."""

from __future__ import annotations

import ast
import bisect
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Collection, Sequence, TypeAlias

__all__ = ["Edit", "Function", "Source", "applied", "moved"]

_LINE_END = re.compile(r"\r\n|\r|\n")  # as Python sees them; not str.splitlines

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, order=True)
class Edit:
    """The text from `start` to `end` becomes another text."""

    start: int
    end: int
    text: str


def applied(text: str, edits: Collection[Edit]) -> str:
    """Return a text with edits; of edits that overlap, only the first counts."""
    parts, done = [], 0
    for edit in sorted(edits):
        if edit.start >= done:
            parts += [text[done : edit.start], edit.text]
            done = edit.end
    return "".join([*parts, text[done:]])


def moved(offset: int, edits: Collection[Edit]) -> int:
    """Return where a place of the former text is in the edited text."""
    return offset + sum(
        len(one.text) - (one.end - one.start) for one in edits if one.end <= offset
    )


class Source:
    """A module.

    Attributes:
        text: Its text.
        tree: Its syntax tree.
    """

    def __init__(self, text: str) -> None:
        """Parse a module.

        Args:
            text: Its text.

        Raises:
            SyntaxError: If it is not valid Python.
            ValueError: If there are null characters in it.
        """
        self.text = text
        self.tree = ast.parse(text)
        ends = (one.end() for one in _LINE_END.finditer(text))
        self._starts: Sequence[int] = [0, *ends]

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The node that each node is part of."""
        return {
            child: node
            for node in ast.walk(self.tree)
            for child in ast.iter_child_nodes(node)
        }

    def start(self, node: ast.AST) -> int:
        return self._offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self._offset(
            node.end_lineno,  # type: ignore[attr-defined]
            node.end_col_offset,  # type: ignore[attr-defined]
        )

    def of(self, node: ast.AST) -> str:
        return self.text[self.start(node) : self.end(node)]

    def line(self, offset: int) -> int:
        """Return the number of the line that a place is in."""
        return bisect.bisect_right(self._starts, offset)

    def lines(self, first: int, last: int) -> str:
        """Return the text of lines, with their ends."""
        ends = [*self._starts[1:], len(self.text)]
        return self.text[self._starts[first - 1] : ends[last - 1]]

    def line_end(self, line: int) -> int:
        """Return where a line ends, its line feed included."""
        return self._starts[line] if line < len(self._starts) else len(self.text)

    def _offset(self, line: int, column: int) -> int:
        """Return a place given as Python gives it, with columns in bytes."""
        start = self._starts[line - 1]
        text = self.text[start : start + column]
        if not text.isascii():
            text = text.encode()[:column].decode(errors="ignore")
        return start + len(text)
