# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Reads the cases that test and document the rules.

A case is a text file: a line that says what it shows, and sections.

    # What stands before the call dispatches, what stands after it processes.
    ==> options --disable RULE
    ==> before lm.py
    ...
    ==> after lm.py
    ...
    ==> by hand
    lm.py:12 split-override

A file that has no `after` stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator

__all__ = ["Case", "read_cases"]

_SECTION = re.compile(r"^==> (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """A case.

    Attributes:
        path: Its file. The folder has the name of the rule that it shows.
        title: What it shows.
        before: Texts of files by name.
        after: What they become, where they change.
        by_hand: The places left to do by hand, as `file:line rule`.
        options: The options of the command.
    """

    path: Path
    title: str
    before: dict[str, str] = field(default_factory=dict)
    after: dict[str, str] = field(default_factory=dict)
    by_hand: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)

    @property
    def rule(self) -> str:
        return self.path.parent.name

    @property
    def name(self) -> str:
        return f"{self.rule}/{self.path.stem}"


def read_cases(folder: Path) -> Iterator[Case]:
    """Yield the cases below a folder, in order."""
    for path in sorted(folder.rglob("*.txt")):
        title, *sections = _SECTION.split(path.read_text("utf-8"))
        case = Case(path, title.strip().removeprefix("# "))
        for head, text in zip(sections[::2], sections[1::2], strict=True):
            kind, _, name = head.partition(" ")
            body = text.removeprefix("\n")
            if kind in ("before", "after"):
                getattr(case, kind)[name] = body
            elif head == "by hand":
                case.by_hand.extend(body.split("\n")[:-1])
            elif kind == "options":
                case.options.extend(name.split())
            else:
                raise ValueError(f"{path}: no such section: {head}")
        yield case
