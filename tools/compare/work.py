# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Compares experiment by experiment, and goes on when one of them fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..guard import Failed
from .figures import compared
from .report import LeftOut, Report
from .sources import Outcome, Source

__all__ = ["Work"]


class Work:
    """Fills a report.

    Attributes:
        failed: Whether an experiment failed that could be expected to run.
    """

    def __init__(self, baseline: Source, proposed: Source, report: Report) -> None:
        """Begin with an empty report."""
        self._sources: tuple[Source, Source] = (baseline, proposed)
        self._report = report
        self._described: tuple[dict[str, None], ...] = ({}, {})
        self.failed = False

    def left_to_do(self, experiments: Sequence[str]) -> list[str]:
        """Leave out what cannot be compared, and return the rest."""
        problems: dict[str, str] = {}
        for source in self._sources:
            for name, reason in source.problems(experiments).items():
                problems.setdefault(name, reason)
        for name in experiments:
            if name in problems:
                self._report.left_out.append(LeftOut(name, problems[name]))
        return [name for name in experiments if name not in problems]

    def do(self, experiments: Sequence[str]) -> Iterator[None]:
        """Compare experiments.

        Yields:
            Nothing, whenever the report has changed.
        """
        for i, name in enumerate(experiments):
            doing = f"{i + 1} of {len(experiments)}, {name}:"
            try:
                left, right = (one.outcome(name, doing) for one in self._sources)
            except Failed as problem:
                self._report.left_out.append(LeftOut(name, str(problem)))
                self.failed = True
            else:
                self._add(name, left, right)
            yield

    def leave_out_rest(self, experiments: Sequence[str], reason: str) -> None:
        """Leave out what was not done."""
        done = {one.name for one in self._report.compared}
        done |= {one.name for one in self._report.left_out}
        rest = (name for name in experiments if name not in done)
        self._report.left_out += [LeftOut(name, reason) for name in rest]

    def _add(self, name: str, left: Outcome, right: Outcome) -> None:
        report = self._report
        found = compared(name, left.figures, right.figures, report.tolerances)
        notes = (*found.notes, *_notes(left, right))
        report.compared.append(replace(found, notes=notes))
        for i, outcome in enumerate((left, right)):
            self._described[i][_described(self._sources[i], outcome)] = None
            if outcome.kept and outcome.kept.machine not in report.machines:
                report.machines.append(outcome.kept.machine)
        # Usually one text each, but results that are kept may be of several versions.
        report.baseline, report.proposed = map("; ".join, self._described)


def _described(source: Source, outcome: Outcome) -> str:
    if outcome.kept is None:
        return source.name
    asked = outcome.kept.asked
    by = "" if asked.side == source.name else f" of {asked.side}"
    overrides = f" with {' '.join(asked.overrides)}" if asked.overrides else ""
    return f"{source.name}{by}, tbp.monty {asked.version}{overrides}"


def _notes(left: Outcome, right: Outcome) -> Iterator[str]:
    if left.kept and right.kept:
        if left.kept.machine != right.kept.machine:
            yield "The sides ran on different machines."
        at_a_time = left.kept.asked.at_a_time, right.kept.asked.at_a_time
        if len({*at_a_time}) > 1:
            yield "Episodes at a time: {} and {}.".format(*at_a_time)
        elif left.kept.asked.in_one_process:
            yield "Episodes ran one by one in one process: each needs those before."
