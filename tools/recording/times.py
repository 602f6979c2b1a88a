# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How long Monty took on each side, in a table and for a program."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from ..bench.ratio import ratio_of, show_range
from ..table import table
from .file import Recording
from .stopwatch import OTHER, PARTS, WHOLE

__all__ = ["Rounds", "Times", "rounds_of", "show_times", "summarize_times"]

Times = Sequence[Mapping[str, float]]
"""For each episode the seconds of Monty's parts, see `Stopwatch.take`."""

Rounds = Sequence[Times]
"""The times of each round."""

COLUMNS = (*PARTS, OTHER, WHOLE)


def rounds_of(recording: Recording) -> Rounds:
    """Returns the times in a recording.

    The first of several rounds does not count: its state was read while it ran.
    """
    rounds: dict[int, list] = {}
    for event in recording.events():
        if event["event"] == "time":
            rounds.setdefault(event.get("round", 0), []).append(event["seconds"])
    each = list(rounds.values())
    return each[1:] or each


def summarize_times(rounds: Rounds) -> dict[str, Any] | None:
    """Returns the sums over all episodes of the median round; None without episodes.

    Of an even number of rounds there are two in the middle, and their means count.
    """
    if not rounds:
        return None
    ranked = sorted(rounds, key=_whole)
    middle = ranked[(len(ranked) - 1) // 2 : len(ranked) // 2 + 1]
    return {
        "episodes": len(middle[0]),
        "rounds_s": [_whole(one) for one in rounds],
        "seconds": {
            name: statistics.fmean(sum(one[name] for one in times) for times in middle)
            for name in COLUMNS
        },
        "median_episode_s": statistics.fmean(
            statistics.median(one[WHOLE] for one in times) for times in middle
        ),
    }


def _whole(times: Times) -> float:
    return sum(one[WHOLE] for one in times)


def show_times(rounds: Mapping[str, Rounds]) -> str:
    """Returns a table of the seconds of all episodes together, one row per side.

    Args:
        rounds: The times of each side. The others are compared with the first.
    """
    summaries = {
        name: summary
        for name, of_side in rounds.items()
        if (summary := summarize_times(of_side)) is not None
    }
    if not summaries:
        return "no episode came to its end: there are no times"
    base = next(iter(summaries.values()))["rounds_s"]
    rows = [
        (
            name,
            *(f"{one['seconds'][column]:.3f}" for column in COLUMNS),
            f"{one['median_episode_s']:.3f}",
            *_ratio(base, one["rounds_s"]),
        )
        for name, one in summaries.items()
    ]
    header = ("seconds of Monty", *COLUMNS, "median episode", "ratio", "quartiles")
    return table(header, rows)


def _ratio(base: Sequence[float], rounds: Sequence[float]) -> tuple[str, str]:
    if not all(rounds):
        return "-", "-"
    ratio = ratio_of(base, rounds)
    quartiles = ratio.quartiles if len(rounds) > 1 else None
    return f"{ratio.median:.2f}", show_range(quartiles)
