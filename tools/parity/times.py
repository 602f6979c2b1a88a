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

from .recording import Recording
from .report import table
from .stopwatch import OTHER, PARTS, WHOLE

__all__ = ["Times", "show_times", "summarize_times", "times_of"]

Times = Sequence[Mapping[str, float]]
"""For each episode the seconds of Monty's parts, see `Stopwatch.take`."""

COLUMNS = (*PARTS, OTHER, WHOLE)


def times_of(recording: Recording) -> Times:
    """Returns the times in a recording; of the median round if there are several.

    The first round does not count then: its state was read while it ran.
    """
    rounds: dict[int, list] = {}
    for event in recording.events():
        if event["event"] == "time":
            rounds.setdefault(event.get("round", 0), []).append(event["seconds"])
    if len(rounds) > 1:
        del rounds[min(rounds)]
    ranked = sorted(rounds.values(), key=lambda one: sum(e[WHOLE] for e in one))
    return ranked[len(ranked) // 2] if ranked else []


def summarize_times(times: Times) -> dict[str, Any] | None:
    """Returns the sums over all episodes, and the median; None without episodes."""
    if not times:
        return None
    return {
        "episodes": len(times),
        "seconds": {name: sum(one[name] for one in times) for name in COLUMNS},
        "median_episode_s": statistics.median(one[WHOLE] for one in times),
    }


def show_times(times: Mapping[str, Times]) -> str:
    """Returns a table of the seconds of all episodes together, one row per side.

    Args:
        times: The times of each side. The others are compared with the first.
    """
    summaries = {
        name: summary
        for name, of_side in times.items()
        if (summary := summarize_times(of_side)) is not None
    }
    if not summaries:
        return "no episode came to its end: there are no times"
    base = next(iter(summaries.values()))["seconds"][WHOLE]
    rows = [
        (
            name,
            *(f"{one['seconds'][column]:.3f}" for column in COLUMNS),
            f"{one['median_episode_s']:.3f}",
            f"{base / one['seconds'][WHOLE]:.2f}" if one["seconds"][WHOLE] else "-",
            "",
        )
        for name, one in summaries.items()
    ]
    header = ("seconds of Monty", *COLUMNS, "median episode", "ratio", "")
    return table(header, rows)
