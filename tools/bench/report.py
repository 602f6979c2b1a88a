# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Shows what was measured, to a person and to a program.

The first of the sides is the baseline that the others are compared with.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from ..recording.stopwatch import CPU, WHOLE
from ..recording.times import COLUMNS
from ..table import table
from .groups import show_groups
from .measure import Measured
from .ratio import quartiles, ratio_of, show_range
from .real_run import Recorded, TimedSide
from .settings import Settings

__all__ = ["rows", "run_rows", "show", "show_runs"]

RATIO = "ratio: time of {} by this one's in the same round, median and quartiles"

START = """\
start: from the start of the process to Monty's first step
first episode and others: Monty's seconds of the first one, and the others' median"""


def rows(measured: Sequence[Measured], settings: Settings) -> list[dict[str, Any]]:
    """Return one self-contained row per side.

    Returns:
        The rows. `ratio` is the median of the baseline's times divided by the side's in
        the same round, so more is faster; `ratio_quartiles` are their quartiles.
    """
    return [_row(one, measured[0], settings) for one in measured]


def show(table_rows: Sequence[dict[str, Any]]) -> str:
    """Return the rows as a table, below a line that says what was timed."""
    first = table_rows[0]
    what = [
        f"{first['lms']} learning modules x {first['objects']} objects of about "
        f"{sum(first['nodes']) // 2} nodes"
        + " that all share"
        * first["shares_objects"],
        f"{first['updater']} updater",
        f"{first['steps']} steps",
        f"{first['neighbors']} neighbours",
    ]
    if first["threads"] is not None:
        what.append(f"threads: {first['threads']}")
    if first["groups"] is not None:
        what.append(f"groups {show_groups(first['groups'])}")
    legend = "hypotheses: mean after a step, of all learning modules"
    if first["votes"] is not None:
        what.append(f"{first['sent']:.0f} votes sent per step")
        legend = f"only voting is timed; {legend}"
    header = (
        *("backend", "s per episode", "IQR", "hypotheses", "us per hypothesis"),
        *("ratio", "quartiles", "CPU s", "peak MiB", "version"),
    )
    cells = [
        (
            row["backend"],
            f"{row['median_s']:.3f}",
            f"{row['iqr_s']:.3f}",
            f"{row['hypotheses']:.0f}",
            f"{row['us_per_hypothesis']:.3f}",
            f"{row['ratio']:.3f}",
            show_range(row["ratio_quartiles"]),
            f"{row['cpu_s']:.3f}",
            f"{row['peak_mib']:.0f}",
            row["version"],
        )
        for row in table_rows
    ]
    title = f"{', '.join(what)}; median of {first['rounds']} rounds"
    ratio = RATIO.format(first["baseline"])
    return f"{title}\n\n{table(header, cells)}\n\n{legend}; {ratio}"


def run_rows(sides: Sequence[TimedSide], recorded: Recorded) -> list[dict[str, Any]]:
    """Return one self-contained row per side, of whole runs.

    Returns:
        The rows. All seconds are medians over the rounds, and so are all ratios: the
        baseline's seconds by the side's in the same round. `runs` has the seconds of
        every round.
        `first_episode_s` and `other_episodes_s` are None with less than two episodes.
    """
    return [_run_row(side, sides[0], recorded) for side in sides]


def show_runs(run_rows: Sequence[dict[str, Any]]) -> str:
    """Return the rows of runs as tables, below a line that says what was timed."""
    first = run_rows[0]
    title = (
        f"{first['experiment']}, {first['episodes']} episodes, {first['steps']} steps, "
        f"fed from a recording; median of {first['rounds']} rounds"
    )
    parts = [
        (
            row["backend"],
            *(f"{row['seconds'][column]:.3f}" for column in COLUMNS),
            f"{row['cpu_s']:.3f}",
            f"{row['ratio']:.3f}",
            show_range(row["ratio_quartiles"]),
            row["version"],
        )
        for row in run_rows
    ]
    start = [
        (
            row["backend"],
            f"{row['start_s']:.3f}",
            f"{row['start_ratio']:.3f}",
            show_range(row["start_ratio_quartiles"]),
            *(
                "-" if row[name] is None else f"{row[name]:.3f}"
                for name in ("first_episode_s", "other_episodes_s")
            ),
            "",
        )
        for row in run_rows
    ]
    ratio = ("ratio", "quartiles")
    return "\n\n".join(
        [
            title,
            table(("seconds of Monty", *COLUMNS, "CPU s", *ratio, "version"), parts),
            table(("seconds", "start", *ratio, "first episode", "others", ""), start),
            f"{RATIO.format(first['baseline'])}\n{START}",
        ]
    )


def _row(measured: Measured, baseline: Measured, settings: Settings) -> dict[str, Any]:
    times = measured.rounds_s
    low, high = quartiles(times)
    return {
        "backend": measured.name,
        "baseline": baseline.name,
        **settings.as_dict(),
        "rounds": len(times),
        "version": measured.version,
        "hypotheses": statistics.mean(measured.hypotheses),
        "most_hypotheses": max(measured.hypotheses),
        "sent": statistics.mean(measured.votes),
        "median_s": measured.median_s,
        "iqr_s": high - low,
        "us_per_hypothesis": measured.median_s / sum(measured.hypotheses) * 1e6,
        **_ratio("ratio", baseline.rounds_s, times),
        "cpu_s": statistics.median(measured.cpu_s),
        "reset_s": statistics.median(measured.reset_s),
        "loaded_mib": measured.loaded_mib,
        "peak_mib": measured.peak_mib,
        "rounds_s": times,
        "steps_s": [
            statistics.median(step) for step in zip(*measured.step_s, strict=True)
        ],
    }


def _run_row(
    side: TimedSide, baseline: TimedSide, recorded: Recorded
) -> dict[str, Any]:
    episodes = recorded.end["episodes"]
    names = (*COLUMNS, CPU)
    medians = {name: statistics.median(side.seconds(name)) for name in names}
    # What follows the last episode does not count.
    wholes = [[one[WHOLE] for one in run.times[:episodes]] for run in side.runs]
    several = episodes > 1
    return {
        "backend": side.name,
        "baseline": baseline.name,
        "version": side.version,
        "experiment": recorded.run.experiment,
        "overrides": list(recorded.run.overrides),
        "recording": str(recorded.path),
        "episodes": episodes,
        "steps": recorded.end["steps"],
        "rounds": len(side.runs),
        "cpu_s": medians.pop(CPU),
        "seconds": medians,
        **_ratio("ratio", baseline.seconds(WHOLE), side.seconds(WHOLE)),
        "start_s": statistics.median(side.starts_s),
        **_ratio("start_ratio", baseline.starts_s, side.starts_s),
        "first_episode_s": statistics.median(run[0] for run in wholes)
        if several
        else None,
        "other_episodes_s": statistics.median(s for run in wholes for s in run[1:])
        if several
        else None,
        "rounds_s": side.seconds(WHOLE),
        "runs": [
            {"start_s": run.start_s, "times": list(run.times)} for run in side.runs
        ],
    }


def _ratio(name: str, baseline: Sequence[float], side: Sequence[float]) -> dict:
    found = ratio_of(baseline, side)
    return {name: found.median, f"{name}_quartiles": found.quartiles}
