# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Shows how long whole runs took, to a person and to a program."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from ..recording.stopwatch import CPU, WHOLE
from ..recording.times import COLUMNS
from ..table import table
from ..workers.sides import UPSTREAM
from .ratio import ratio_of, show_range
from .real_run import Recorded, TimedSide

__all__ = ["run_rows", "show_runs"]

LEGEND = """\
ratio: upstream's seconds by this one's in the same round, median and quartiles
start: from the start of the process to Monty's first step
first episode and others: Monty's seconds of the first one, and the others' median"""


def run_rows(sides: Sequence[TimedSide], recorded: Recorded) -> list[dict[str, Any]]:
    """Return one self-contained row per side; upstream must be among them.

    Returns:
        The rows. All seconds are medians over the rounds, and so are all ratios:
        upstream's seconds by the side's in the same round. `runs` has the seconds of
        every round.
        `first_episode_s` and `other_episodes_s` are None with less than two episodes.
    """
    rows = [_row(side, recorded) for side in sides]
    [upstream] = [row for row in rows if row["backend"] == UPSTREAM]
    return [{**row, **_compared(row, upstream)} for row in rows]


def show_runs(rows: Sequence[dict[str, Any]]) -> str:
    """Return the rows as tables, below a line that says what was timed."""
    first = rows[0]
    title = (
        f"{first['experiment']}, {first['episodes']} episodes, {first['steps']} steps, "
        f"fed from a recording; median of {first['rounds']} rounds"
    )
    return "\n\n".join([title, _parts_table(rows), _start_table(rows), LEGEND])


def _row(side: TimedSide, recorded: Recorded) -> dict[str, Any]:
    seconds = {
        name: [sum(episode[name] for episode in run.times) for run in side.runs]
        for name in (*COLUMNS, CPU)
    }
    medians = {name: statistics.median(rounds) for name, rounds in seconds.items()}
    return {
        "backend": side.name,
        "version": side.version,
        "experiment": recorded.run.experiment,
        "overrides": list(recorded.run.overrides),
        "recording": str(recorded.path),
        "episodes": recorded.end["episodes"],
        "steps": recorded.end["steps"],
        "rounds": len(side.runs),
        "cpu_s": medians.pop(CPU),
        "seconds": medians,
        "start_s": statistics.median(run.start_s for run in side.runs),
        **_cold(side, recorded.end["episodes"]),
        "rounds_s": seconds[WHOLE],
        "runs": [
            {"start_s": run.start_s, "times": list(run.times)} for run in side.runs
        ],
    }


def _cold(side: TimedSide, episodes: int) -> dict[str, float | None]:
    """Return the seconds of the first episode, and the median of the others.

    Args:
        side: The side.
        episodes: How many episodes came to their end; what follows does not count.
    """
    wholes = [[e[WHOLE] for e in run.times[:episodes]] for run in side.runs]
    if episodes < 2:
        return {"first_episode_s": None, "other_episodes_s": None}
    return {
        "first_episode_s": statistics.median(run[0] for run in wholes),
        "other_episodes_s": statistics.median(s for run in wholes for s in run[1:]),
    }


def _compared(row: dict[str, Any], upstream: dict[str, Any]) -> dict[str, Any]:
    whole = ratio_of(upstream["rounds_s"], row["rounds_s"])
    start = ratio_of(*([run["start_s"] for run in r["runs"]] for r in (upstream, row)))
    return {
        "ratio": whole.median,
        "ratio_quartiles": whole.quartiles,
        "start_ratio": start.median,
        "start_ratio_quartiles": start.quartiles,
    }


def _parts_table(rows: Sequence[dict[str, Any]]) -> str:
    header = (
        *("seconds of Monty", *COLUMNS),
        *("CPU s", "ratio", "quartiles", "version"),
    )
    cells = [
        (
            row["backend"],
            *(f"{row['seconds'][column]:.3f}" for column in COLUMNS),
            f"{row['cpu_s']:.3f}",
            f"{row['ratio']:.3f}",
            show_range(row["ratio_quartiles"]),
            row["version"],
        )
        for row in rows
    ]
    return table(header, cells)


def _start_table(rows: Sequence[dict[str, Any]]) -> str:
    header = (
        *("seconds", "start", "ratio", "quartiles"),
        *("first episode", "others", ""),
    )
    cells = [
        (
            row["backend"],
            f"{row['start_s']:.3f}",
            f"{row['start_ratio']:.3f}",
            show_range(row["start_ratio_quartiles"]),
            _seconds(row["first_episode_s"]),
            _seconds(row["other_episodes_s"]),
            "",
        )
        for row in rows
    ]
    return table(header, cells)


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.3f}"
