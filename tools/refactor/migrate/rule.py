# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a rule of `migrate` is, and what it notes about a file."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Iterable, Iterator

from .attributes import Attributes
from .classes import Classes, ProjectClass
from .names import ModuleNames
from .source import Edit, Function, Source

__all__ = ["Left", "Noted", "Place", "Project", "PythonFile", "Rule"]


@dataclass(frozen=True)
class Left:
    """What is not changed.

    Attributes:
        what: Why not.
        advice: What to do by hand, or could be done.
        works: Whether it works as it is.
    """

    what: str
    advice: str
    works: bool = False


@dataclass(frozen=True)
class Place:
    """A place in a text that a rule has found.

    Attributes:
        offset: Where it is.
        found: What is left to do there, or what was changed.
        edits: The changes.
    """

    offset: int
    found: Left | str
    edits: tuple[Edit, ...] = ()


class Noted(list[Place]):
    """What a rule has found in a text."""

    def change(self, offset: int, what: str, edits: Iterable[Edit]) -> None:
        self.append(Place(offset, what, tuple(edits)))


@dataclass(frozen=True)
class Project:
    """What rules know about the files that are migrated together."""

    classes: Classes
    attributes: Attributes


@dataclass(frozen=True)
class PythonFile:
    """A Python file while a rule looks at it.

    Attributes:
        path: Where it is.
        source: Its code.
        names: What its names stand for.
        project: The project.
        noted: What the rule has found.
    """

    path: Path
    source: Source
    names: ModuleNames
    project: Project
    noted: Noted = field(default_factory=Noted)

    def methods(self) -> Iterator[tuple[ProjectClass, Function]]:
        """Yield the methods of all classes."""
        for name, definitions in self.names.classes.items():
            for definition in definitions:
                for node in definition.body:
                    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        yield ProjectClass(self.path, name), node

    def leave(self, node: ast.AST, left: Left) -> None:
        self.noted.append(Place(self.source.start(node), left))


@dataclass(frozen=True)
class Rule:
    """One change that callers must follow.

    Attributes:
        id: Its name in reports and `--disable`.
        summary: What it does, in one line.
        words: A pattern. The rule does not apply to a text without it.
        look: Notes what concerns it in a Python file.
        look_at_config: Notes what concerns it in a config.
    """

    id: str
    summary: str
    words: str
    look: Callable[[PythonFile], None]
    look_at_config: Callable[[str, Noted], None] | None = None

    def may_concern(self, text: str) -> bool:
        """Return whether the rule may apply to a text."""
        return re.search(self.words, text) is not None
