# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The table of `port`, and what changed side by side."""

from __future__ import annotations

import difflib
import itertools
import textwrap
from collections import Counter
from typing import Any, Iterator, Mapping, Sequence

from ..refusal import rows_of
from .findings import Finding, Status

__all__ = ["as_json", "lines_of"]

_COLUMN = 60
_MOST_LINES = 60
_MARKS = {"equal": " ", "replace": "|", "delete": "<", "insert": ">"}


def lines_of(findings: Sequence[Finding], numbers: Mapping[str, int]) -> Iterator[str]:
    """Yield the table, and below it what is to be done.

    Args:
        findings: What became of the rewrites.
        numbers: The numbers of the steps, by name.
    """
    for finding in findings:
        trial = finding.trial
        number = numbers[trial.step.name]
        file = trial.rewrite.file.rpartition("/")[2]
        row = f"{number:2}  {finding.status.value:13}  {trial.step.name:24}  "
        yield f"{row}{trial.rewrite.codemod.target or file}{_where(finding)}"
    for finding in findings:
        if finding.is_to_do and finding.status is not Status.WAITS:
            yield ""
            yield from _details(finding)
    counts = Counter(finding.status for finding in findings)
    yield ""
    yield ", ".join(f"{counts[one]} {one.value}" for one in Status if counts[one])


def as_json(finding: Finding, numbers: Mapping[str, int]) -> dict[str, Any]:
    """Return a finding as data."""
    match = finding.match
    return {
        "number": numbers[finding.trial.step.name],
        "step": finding.trial.step.name,
        "rewrite": finding.trial.key,
        "status": finding.status.value,
        "reason": str(finding.trial.failure or ""),
        "edit": finding.ours,
        "pinned": finding.pinned,
        "present": finding.present,
        "match": match
        and {
            "file": match.place.file,
            "line": match.place.line,
            "name": match.place.name,
            "score": round(match.score, 2),
        },
    }


def _where(finding: Finding) -> str:
    match = finding.match
    if match is None:
        return ""
    arrow = " ->" if finding.status is Status.MOVED else ", nearest:"
    return f"{arrow} {match.place} ({match.score:.0%})"


def _details(finding: Finding) -> Iterator[str]:
    yield f"{finding.status.value}{_where(finding)}"
    for name, value in [*rows_of(finding.trial), ("edit", finding.ours)]:
        yield f"  {name + ':':<12}{value}"
    if finding.trial.is_new:
        name = finding.trial.step.name
        yield f"  if it is still right: monty-refactor port … --accept {name}"
    shown = list(_side_by_side(finding.pinned, finding.present))
    yield from shown[:_MOST_LINES]
    if len(shown) > _MOST_LINES:
        yield f"    … {len(shown) - _MOST_LINES} more lines"


def _side_by_side(left: str, right: str) -> Iterator[str]:
    before, after = (textwrap.dedent(text).splitlines() for text in (left, right))
    matcher = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        lines = itertools.zip_longest(
            before[start:end], after[new_start:new_end], fillvalue=""
        )
        for one, other in lines:
            fitted = f"{_cut(one):{_COLUMN}} {_MARKS[kind]} {_cut(other)}"
            yield f"    {fitted}".rstrip()


def _cut(line: str) -> str:
    return line if len(line) <= _COLUMN else f"{line[: _COLUMN - 1]}…"
