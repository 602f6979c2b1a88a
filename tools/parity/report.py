# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Shows a comparison, and the progress of the runs, to a person."""

from __future__ import annotations

import collections
import contextlib
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tqdm import tqdm

from .compare import Comparison
from .ending import Ending, how_it_ended
from .recording import Recording
from .sides import Job, OnProgress

__all__ = ["aligned", "progress_bars", "show", "summary", "table", "verdict"]

SECONDS_BETWEEN_LINES = 15


def show(comparison: Comparison, left: str, right: str) -> str:
    """Returns the table of a comparison and its verdict.

    Args:
        comparison: The comparison.
        left: The name of the side compared with.
        right: The name of the side in question.
    """
    rows = [
        (
            row.what,
            str(row.compared),
            str(row.equal),
            f"{row.largest:.3g}" if row.largest else "0",
            "" if row.equal == row.compared else "different",
        )
        for row in comparison.rows
    ]
    header = ("what", "compared", "equal", "largest difference", "")
    return f"{table(header, rows)}\n\n{verdict(comparison, left, right)}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a table in plain text; the first and the last column are words."""
    first, *others = aligned([header, *rows])
    rule = ["-" * len(cell) for cell in first]
    return "\n".join("  ".join(row).rstrip() for row in (first, rule, *others))


def aligned(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Returns rows with cells of equal width; the first and last column are words."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    last = len(widths) - 1
    return [
        [
            cell.ljust(width) if i in (0, last) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in rows
    ]


def verdict(comparison: Comparison, left: str, right: str) -> str:
    """Returns one line when the runs are equal, else the first difference in full."""
    amount = (
        f"{comparison.episodes} episodes, {comparison.steps} steps, "
        f"{comparison.updates} evidence updates"
    )
    found = comparison.first_difference
    if found is None:
        return f"equal: {amount} compared{_ending(comparison.ending)}"
    width = max(len(left), len(right))
    return "\n".join(
        [
            f"different: {amount} compared; first difference in {found}",
            f"  {left:{width}}  {json.dumps(found.left)}",
            f"  {right:{width}}  {json.dumps(found.right)}",
        ]
    )


def _ending(ending: Mapping[str, Any] | None) -> str:
    if ending is None or ending["ending"] == "finished":
        return ""
    return f"; {how_it_ended(ending)}, in both"


def summary(side: str, recording: Recording, ending: Ending) -> str:
    """Returns one line about a run: what was run, how far, and how it ended."""
    counts = recording.manifest["counts"]
    how = ending.words
    if ending is Ending.RAISED:
        [end] = collections.deque(recording.events(), maxlen=1)
        how = how_it_ended(end)
    return (
        f"{side}, {counts.get('episode', 0)} episodes, {counts.get('step', 0)} steps, "
        f"{how}"
    )


@contextlib.contextmanager
def progress_bars(jobs: Sequence[Job], doing: str) -> Iterator[OnProgress]:
    """Shows the progress of jobs on standard error.

    On a terminal there is one bar per job; elsewhere an occasional line.

    Args:
        jobs: The jobs.
        doing: What is done, in a word.

    Yields:
        The function to call with the progress of a job.
    """
    if not sys.stderr.isatty():
        yield _lines(doing)
        return
    with contextlib.ExitStack() as stack:
        bars = {
            id(job): stack.enter_context(
                tqdm(
                    desc=f"{doing} {job.side.name}",
                    unit="episode",
                    position=i,
                    leave=False,
                )
            )
            for i, job in enumerate(jobs)
        }

        def update(job: Job, progress: Mapping[str, Any]) -> None:
            bar = bars[id(job)]
            bar.total = progress["total"]
            bar.n = progress["episodes"]
            bar.set_postfix_str(f"{progress['steps']} steps")

        yield update


def _lines(doing: str) -> OnProgress:
    last: dict[int, float] = {}

    def update(job: Job, progress: Mapping[str, Any]) -> None:
        now = time.monotonic()
        if now - last.setdefault(id(job), now) >= SECONDS_BETWEEN_LINES:
            last[id(job)] = now
            total = progress["total"]
            of = f" of {total}" if total else ""
            print(
                f"{doing} {job.side.name}: {progress['episodes']}{of} episodes, "
                f"{progress['steps']} steps",
                file=sys.stderr,
            )

    return update
