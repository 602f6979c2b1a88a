# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A comparison as a whole: for a terminal, for programs, and for reviewers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..ending import plain
from ..machine import in_a_line
from ..table import aligned, table
from .figures import BETTER, UNCHANGED, WORSE, Compared, Row, Tolerances

__all__ = ["LeftOut", "Report", "escaped", "markdown", "show", "to_json"]

SIGNS = {BETTER: "✅", WORSE: "❌", UNCHANGED: "⬜"}
SPECIAL = re.compile(r"[\\`*<>\[\]|~&$#@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")

HEADER = ("Metric", "Baseline", "Proposed", "Δ", "Result")


@dataclass(frozen=True)
class LeftOut:
    """An experiment that was not compared, and why."""

    name: str
    reason: str


@dataclass
class Report:
    """What a comparison came to.

    Attributes:
        baseline: What it is compared with, in words.
        proposed: What is compared, in words.
        tolerances: What counts as unchanged.
        measured: How the times were measured, in words.
        machines: Where the runs were made, as far as it is known.
        compared: The experiments of which both sides have results.
        left_out: The others.
    """

    baseline: str
    proposed: str
    tolerances: Tolerances
    measured: str
    machines: list[Mapping[str, Any]] = field(default_factory=list)
    compared: list[Compared] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    def preface(self) -> Iterator[str]:
        """Yield what a reader must know before the tables."""
        yield f"Baseline: {self.baseline}."
        yield f"Proposed: {self.proposed}."
        yield f"Machine: {'; '.join(map(in_a_line, self.machines)) or 'unknown'}."
        results = _allowed(self.tolerances.results)
        times = _allowed(self.tolerances.times)
        yield f"Unchanged: results that are {results}, times that are {times}."
        yield self.measured


def to_json(report: Report) -> dict[str, Any]:
    """Return a report for programs."""
    return {
        "format": "monty-compare",
        "format_version": 1,
        "machine": dict(report.machines[0]) if len(report.machines) == 1 else {},
        "baseline": report.baseline,
        "proposed": report.proposed,
        "tolerances": asdict(report.tolerances),
        "measured": report.measured,
        "experiments": [
            {
                "name": one.name,
                "rows": [{**vars(row), "metric": row.metric.name} for row in one.rows],
                "notes": list(one.notes),
            }
            for one in report.compared
        ],
        "left_out": [asdict(one) for one in report.left_out],
    }


def show(report: Report) -> str:
    """Return a report for a terminal."""
    blocks = ["\n".join(map(plain, report.preface()))]
    for one in report.compared:
        rows = [(*_cells(row), row.result) for row in one.rows]
        lines = [plain(one.name), table(HEADER, rows), *map(plain, one.notes)]
        blocks.append("\n".join(lines))
    if report.left_out:
        out = (plain(f"{one.name}: {one.reason}") for one in report.left_out)
        blocks.append("\n".join(["left out:", *(f"  {line}" for line in out)]))
    return "\n\n".join(blocks)


def markdown(report: Report) -> str:
    """Return a report in GitHub's Markdown."""
    blocks = ["## Benchmarks", _list(report.preface())]
    for one in report.compared:
        rows = [(*_cells(row), f"{SIGNS[row.result]} {row.result}") for row in one.rows]
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


def _cells(row: Row) -> tuple[str, str, str, str]:
    """Return the cells of a row before its result."""
    figures = (row.baseline, row.proposed, row.delta)
    baseline, proposed, delta = map(_figure, figures)
    return row.metric.name, baseline, proposed, delta


def _figure(number: float | None) -> str:
    if number is None:
        return "-"
    if number and abs(number) < 0.005:
        return f"{number:.1g}"  # rather than a 0 that is none
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _allowed(tolerance: float) -> str:
    return f"within {tolerance * 100:g} % of the baseline" if tolerance else "equal"
