# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Writes a comparison as the tables that reviewers of upstream read on GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..ending import plain
from ..table import aligned
from .judge import BETTER, UNCHANGED, WORSE
from .report import HEADER, Report, cells

__all__ = ["escaped", "markdown"]

SIGNS = {BETTER: "✅", WORSE: "❌", UNCHANGED: "⬜"}
SPECIAL = re.compile(r"[\\`*<>\[\]|~&$#@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


def markdown(report: Report) -> str:
    """Return a report in GitHub's Markdown."""
    blocks = ["## Benchmarks", _list(report.preface())]
    for one in report.compared:
        rows = [(*cells(row), f"{SIGNS[row.result]} {row.result}") for row in one.rows]
        blocks += [f"### {escaped(one.name)}", _table(rows)]
        blocks += [_list(one.notes)] if one.notes else []
    if report.left_out:
        out = (f"{one.name}: {one.reason}" for one in report.left_out)
        blocks += ["### Left out", _list(out)]
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    """Return a text in one line, without anything that means something in Markdown."""
    return SPECIAL.sub(lambda found: f"\\{found[0]}", plain(text))


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {escaped(line)}" for line in lines)


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose source is aligned, too; words begin and end its rows."""
    first, *others = aligned([HEADER, *rows])
    left, *middle, right = ("-" * len(cell) for cell in first)
    rule = [left, *(f"{dashes[1:]}:" for dashes in middle), right]
    return "\n".join(f"| {' | '.join(row)} |" for row in (first, rule, *others))
