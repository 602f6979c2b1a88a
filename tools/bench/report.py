# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Shows what was measured, to a person and to a program."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from ..table import table
from ..workers.sides import UPSTREAM
from .groups import show_groups
from .measure import Measured
from .ratio import quartiles, ratio_of, show_range
from .settings import Settings

__all__ = ["rows", "show"]


def rows(measured: Sequence[Measured], settings: Settings) -> list[dict[str, Any]]:
    """Return one self-contained row per side.

    Returns:
        The rows. `ratio` is the median of upstream's times divided by the side's in
        the same round, so more is faster; `ratio_quartiles` are their quartiles. Both
        are None if upstream was not measured.
    """
    upstream = next((one for one in measured if one.name == UPSTREAM), None)
    return [_row(one, upstream, settings) for one in measured]


def show(table_rows: Sequence[dict[str, Any]]) -> str:
    """Return the rows as a table, below a line that says what was timed."""
    first = table_rows[0]
    threads = {None: "", 1: ", single-threaded"}.get(
        first["threads"], f", {first['threads']} threads"
    )
    groups = first["groups"]
    groups = "" if groups is None else f", groups {show_groups(groups)}"
    nodes = sum(first["nodes"]) // 2
    shared = " that all share" if first["shares_objects"] else ""
    sent = first["votes"]
    votes = "" if sent is None else f", {first['sent']:.0f} votes sent per step"
    title = (
        f"{first['lms']} learning modules x {first['objects']} objects of about "
        f"{nodes} nodes{shared}, {first['updater']} updater, {first['steps']} steps, "
        f"{first['neighbors']} neighbours{threads}{groups}{votes}; "
        f"median of {first['rounds']} rounds"
    )
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
            "-" if row["ratio"] is None else f"{row['ratio']:.3f}",
            show_range(row["ratio_quartiles"]),
            f"{row['cpu_s']:.3f}",
            f"{row['peak_mib']:.0f}",
            row["version"],
        )
        for row in table_rows
    ]
    legend = (
        "hypotheses: mean after a step, of all learning modules; "
        "ratio: upstream's time by this one's in the same round, median and quartiles"
        f"{'' if sent is None else '; only voting is timed'}"
    )
    return f"{title}\n\n{table(header, cells)}\n\n{legend}"


def _row(
    measured: Measured, upstream: Measured | None, settings: Settings
) -> dict[str, Any]:
    times = measured.rounds_s
    low, high = quartiles(times)
    found = None if upstream is None else ratio_of(upstream.rounds_s, times)
    return {
        "backend": measured.name,
        **settings.as_dict(),
        "rounds": len(times),
        "version": measured.version,
        "hypotheses": statistics.mean(measured.hypotheses),
        "most_hypotheses": max(measured.hypotheses),
        "sent": statistics.mean(measured.votes),
        "median_s": measured.median_s,
        "iqr_s": high - low,
        "us_per_hypothesis": measured.median_s / sum(measured.hypotheses) * 1e6,
        "ratio": found and found.median,
        "ratio_quartiles": found and found.quartiles,
        "cpu_s": statistics.median(measured.cpu_s),
        "reset_s": statistics.median(measured.reset_s),
        "loaded_mib": measured.loaded_mib,
        "peak_mib": measured.peak_mib,
        "rounds_s": times,
        "steps_s": [
            statistics.median(step) for step in zip(*measured.step_s, strict=True)
        ],
    }
