# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A comparison as a whole: in words for a terminal, and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ..ending import plain
from ..machine import in_a_line
from ..table import table
from .judge import Compared, Row, Tolerances

__all__ = ["HEADER", "LeftOut", "Report", "cells", "show", "to_json"]

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
        rows = [(*cells(row), row.result) for row in one.rows]
        lines = [plain(one.name), table(HEADER, rows), *map(plain, one.notes)]
        blocks.append("\n".join(lines))
    if report.left_out:
        out = (plain(f"{one.name}: {one.reason}") for one in report.left_out)
        blocks.append("\n".join(["left out:", *(f"  {line}" for line in out)]))
    return "\n\n".join(blocks)


def cells(row: Row) -> tuple[str, str, str, str]:
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
