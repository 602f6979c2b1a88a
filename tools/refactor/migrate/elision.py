# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Leaves out the statements of a module that no rule applies to.

LibCST needs a second and ten megabytes for a thousand lines, so only the statements
that matter are parsed.
"""

from __future__ import annotations

import ast
import re
from typing import Callable, Iterator

__all__ = ["Elided"]

_PLACE = "pass  # __monty_refactor_elided__ {number}"
_PLACES = re.compile(r"^pass  # __monty_refactor_elided__ (\d+)$", re.MULTILINE)


class Elided:
    """A module in which each run of needless statements is one line.

    Attributes:
        text: What is left. Imports, and the first statement, always are.
    """

    def __init__(self, text: str, needed: Callable[[str], bool]) -> None:
        """Leave statements at the top level out.

        Args:
            text: The text of the module.
            needed: Whether the text of a statement is needed.
        """
        self._parts: list[str] = []
        self._starts = [(1, 1)]
        lines, kept, done = text.split("\n"), [], 0
        for first, last in _needless(text, lines, needed):
            kept += [*lines[done : first - 1], _PLACE.format(number=len(self._parts))]
            self._parts.append("\n".join(lines[first - 1 : last]))
            self._starts.append((len(kept) + 1, last + 1))
            done = last
        self.text = "\n".join([*kept, *lines[done:]])

    def line(self, line: int) -> int:
        """Return where a line of what is left stands in the whole text."""
        start, there = max(one for one in self._starts if one[0] <= line)
        return there + line - start

    def restored(self, text: str) -> str:
        """Return the whole text, when what was left has become another text."""
        return _PLACES.sub(lambda place: self._parts[int(place[1])], text)


def _needless(
    text: str, lines: list[str], needed: Callable[[str], bool]
) -> list[tuple[int, int]]:
    """Return the first and the last line of each run of needless statements."""
    runs: list[tuple[int, int]] = []
    end = 0
    for first, last, is_kept in _statements(text):
        # Comments above a statement belong to it.
        if not is_kept and not needed("\n".join(lines[end:last])):
            # A run goes on if the statement before belongs to it.
            start = runs.pop()[0] if runs and runs[-1][1] == end else first
            runs.append((start, last))
        end = last
    return runs


def _statements(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the lines of each statement, and whether it is kept in any case."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return
    if "\r" in text:  # a line end for Python
        return
    lines: list[tuple[int, int, bool]] = []
    for at, one in enumerate(body):
        decorators = getattr(one, "decorator_list", [])
        first = min([one.lineno, *(each.lineno for each in decorators)])
        is_kept = not at or isinstance(one, (ast.Import, ast.ImportFrom))
        if lines and lines[-1][1] == first:  # after a semicolon
            first, _, was_kept = lines.pop()
            is_kept = is_kept or was_kept
        lines.append((first, one.end_lineno or first, is_kept))
    yield from lines
