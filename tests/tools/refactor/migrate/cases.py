# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Reads the cases that test the rules.

A case is a text file: a line that says what it shows, and sections.

    # What stands before the call dispatches, what stands after it processes.
    ==> options --disable RULE
    ==> before lm.py
    ...
    ==> changes lm.py
    -...
    +...
    ==> works
    lm.py:12 split-override
    ==> by hand
    lm.py:20 former-method

The changes are the lines of a diff. A file that has none stays as it is.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Mapping

__all__ = ["Case", "changes", "read_cases"]

_SECTION = re.compile(r"^==> (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """A case.

    Attributes:
        path: Its file. The folder has the name of the rule that it shows.
        title: What it shows.
        before: Texts of files by name.
        changes: The lines of a diff by name.
        works: The places that are listed and work, as `file:line rule`.
        by_hand: The places left to do by hand, likewise.
        options: The options of the command.
    """

    path: Path
    title: str
    before: dict[str, str] = field(default_factory=dict)
    changes: dict[str, str] = field(default_factory=dict)
    works: list[str] = field(default_factory=list)
    by_hand: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)

    @property
    def rule(self) -> str:
        return self.path.parent.name


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """Return the lines of a diff by name, without lines around what changes."""
    found = {}
    for name, text in before.items():
        if after[name] != text:
            lines = (one.splitlines(keepends=True) for one in (text, after[name]))
            _, _, *diff = difflib.unified_diff(*lines, n=0)
            found[name] = "".join(one for one in diff if not one.startswith("@@"))
    return found


def read_cases() -> Iterator[Case]:
    """Yield the cases, in order."""
    for path in sorted((Path(__file__).parent / "cases").rglob("*.txt")):
        title, *sections = _SECTION.split(path.read_text("utf-8"))
        case = Case(path, title.strip().removeprefix("# "))
        for head, text in zip(sections[::2], sections[1::2], strict=True):
            kind, _, name = head.partition(" ")
            body = text.removeprefix("\n")
            if kind in ("before", "changes"):
                getattr(case, kind)[name] = body
            elif kind == "options":
                case.options.extend(name.split())
            else:
                getattr(case, head.replace(" ", "_")).extend(body.splitlines())
        yield case
