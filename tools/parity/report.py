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
import json
import statistics
from collections.abc import Mapping
from typing import Any

from ..ending import Ending, how_it_ended
from ..recording.file import Recording
from ..recording.stopwatch import WHOLE
from ..recording.times import COLUMNS, Times
from ..table import table
from .compare import Comparison

__all__ = ["show", "show_times", "summarize_times", "summary", "verdict"]


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


def summarize_times(times: Times) -> dict[str, Any]:
    """Returns the sums over all episodes, for a program."""
    return {
        "episodes": len(times),
        "seconds": {name: sum(one[name] for one in times) for name in COLUMNS},
        "median_episode_s": statistics.median(one[WHOLE] for one in times),
    }


def show_times(sides: Mapping[str, Mapping[str, Any]]) -> str:
    """Returns a table of the seconds of all episodes together, one row per side.

    Args:
        sides: What `summarize_times` returns for each. All are compared with the first.
    """
    first = next(iter(sides.values()))["seconds"][WHOLE]
    rows = [
        (
            name,
            *(f"{found['seconds'][column]:.3f}" for column in COLUMNS),
            f"{found['median_episode_s']:.3f}",
            f"{first / found['seconds'][WHOLE]:.2f}",
            "",
        )
        for name, found in sides.items()
    ]
    return table(("seconds of Monty", *COLUMNS, "median episode", "ratio", ""), rows)


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
