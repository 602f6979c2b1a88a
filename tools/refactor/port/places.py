# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Where a tree has classes, functions and statements, and which are most alike."""

from __future__ import annotations

import ast
import difflib
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Iterator, Sequence

from ..normal import normal
from ..tree import PACKAGE, Tree

__all__ = ["Match", "Place", "Places"]

_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = ("body", "orelse", "finalbody")
_NAME, _WORDS, _FILE, _SCOPE = 0.3, 0.6, 0.05, 0.05
"""What counts how much of a score, 1 in all: the name, the code, where it is."""


@dataclass(frozen=True)
class Place:
    """A class, a function or consecutive statements.

    Attributes:
        file: Path below `tbp/monty`.
        name: The class, method or function that it is, or is in.
        line: Its first line.
        text: Its text.
        is_class: Whether it is a class.
    """

    file: str
    name: str
    line: int
    text: str
    is_class: bool = False

    @cached_property
    def words(self) -> Counter[str]:
        return Counter(re.findall(r"\w+", self.text))

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.name}"


@dataclass(frozen=True)
class Match:
    """A place, and from 0 to 1 how much it is what was looked for."""

    place: Place
    score: float


class Places:
    """The places of a tree."""

    def __init__(self, tree: Tree) -> None:
        self._texts: dict[str, str] = {}
        self._trees: dict[str, ast.Module] = {}
        for path in sorted((tree.import_root / PACKAGE).rglob("*.py")):
            file = path.relative_to(tree.import_root / PACKAGE).as_posix()
            text = path.read_text("utf-8", "replace")
            try:
                self._trees[file] = ast.parse(text)
            except SyntaxError:
                continue
            self._texts[file] = text

    @cached_property
    def definitions(self) -> Sequence[Place]:
        """Classes, their methods, and functions of modules."""
        return [place for place, _ in self._defined]

    def find(self, file: str, name: str) -> Place | None:
        """Return a definition by its name."""
        wanted = (
            one for one in self.definitions if (one.file, one.name) == (file, name)
        )
        return next(wanted, None)

    def forms(self, file: str) -> set[str]:
        """Return the normal forms of all statements of a file, and of their heads."""
        tree = self._trees.get(file, ast.Module([], []))
        return {normal(one) for one in ast.walk(tree) if isinstance(one, ast.stmt)}

    def nearest(self, wanted: Place) -> Match | None:
        """Return the definition that is most like one of another tree."""
        alike = (one for one in self.definitions if one.is_class == wanted.is_class)
        return max(
            (Match(one, _score(wanted, one)) for one in alike),
            key=lambda match: match.score,
            default=None,
        )

    def nearest_statements(self, wanted: Place, count: int) -> Match | None:
        """Return the consecutive statements that are most like those of another tree.

        Args:
            wanted: The statements.
            count: How many there are.
        """
        return max(
            (
                Match(one, _score(wanted, one))
                for place, node in self._defined
                if not place.is_class
                for one in self._runs(place, node, count)
            ),
            key=lambda match: match.score,
            default=None,
        )

    @cached_property
    def _defined(self) -> Sequence[tuple[Place, ast.AST]]:
        found: list[tuple[Place, ast.AST]] = []
        for file, tree in self._trees.items():
            for node in tree.body:
                if isinstance(node, (*_FUNCTION, ast.ClassDef)):
                    found.append((self._place(file, node.name, [node]), node))
                if isinstance(node, ast.ClassDef):
                    found += [
                        (self._place(file, f"{node.name}.{one.name}", [one]), one)
                        for one in node.body
                        if isinstance(one, _FUNCTION)
                    ]
        return found

    def _runs(self, place: Place, node: ast.AST, count: int) -> Iterator[Place]:
        for block in _blocks(node):
            for start in range(max(1, len(block) - count + 1)):
                run = block[start : start + count]
                yield self._place(place.file, place.name, run)

    def _place(self, file: str, name: str, nodes: Sequence[ast.stmt]) -> Place:
        decorators: Sequence[ast.expr] = getattr(nodes[0], "decorator_list", ())
        first = min([nodes[0].lineno, *(one.lineno for one in decorators)])
        lines = self._lines(file)[first - 1 : nodes[-1].end_lineno]
        is_class = isinstance(nodes[0], ast.ClassDef)
        return Place(file, name, first, "\n".join(lines), is_class)

    def _lines(self, file: str) -> Sequence[str]:
        return self._split.setdefault(file, self._texts[file].splitlines())

    @cached_property
    def _split(self) -> dict[str, Sequence[str]]:
        return {}


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for one in ast.walk(node):
        for name in _BLOCKS:
            block = getattr(one, name, None)
            if block and isinstance(block, list):
                yield block


def _score(wanted: Place, other: Place) -> float:
    shared = (wanted.words & other.words).total()
    words = 2 * shared / max(1, wanted.words.total() + other.words.total())
    if _WORDS * words + _NAME + _FILE + _SCOPE < 0.5:
        return 0.0
    scopes, names = zip(
        *((scope, name) for scope, _, name in map(_parts, (wanted, other))), strict=True
    )
    return (
        _WORDS * words
        + _NAME * difflib.SequenceMatcher(None, *names).ratio()
        + _FILE * (wanted.file == other.file)
        + _SCOPE * (scopes[0] == scopes[1])
    )


def _parts(place: Place) -> tuple[str, str, str]:
    return place.name.rpartition(".")
