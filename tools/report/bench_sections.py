# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The sections about benchmarks: where time goes, and how much faster a side is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..bench.groups import show_groups
from ..recording.stopwatch import WHOLE
from ..workers.sides import UPSTREAM
from .charts import bars, spread_lines, stacked
from .content import Chart, Section, Table, known
from .inputs import Input

__all__ = [
    "Row",
    "bench_sections",
    "phase_charts",
    "speed_up_charts",
    "synthetic_rows",
]

Row = Mapping[str, Any]

SPREAD = (
    "Medians; the thick bars are the quartiles over the rounds. Both axes are "
    "logarithmic."
)

NAMES = {"objects": "objects", "lms": "learning modules"}

WHAT = {"lm-phase": "step of the learning modules", "vote": "votes"}


def bench_sections(benchmarks: Sequence[Input]) -> list[Section]:
    """Return the sections about benchmarks; all on synthetic objects share one."""
    runs = [one for one in benchmarks if one.content["benchmark"] == "run"]
    synthetic = [one for one in benchmarks if one.content["benchmark"] != "run"]
    return [
        *(_run_section(one) for one in runs),
        *([_synthetic_section(synthetic)] if synthetic else []),
    ]


def phase_charts(sides: Sequence[tuple[str, Mapping[str, float]]]) -> list[Chart]:
    """Return where the time of each side goes.

    Args:
        sides: The names of the sides, and the seconds of each part and of the whole.
    """
    rows = [
        {
            "name": name,
            "part": part,
            "order": i,
            "value": value,
            "label": f"{seconds[WHOLE]:.3g} s",
        }
        for name, seconds in sides
        for i, (part, value) in enumerate(seconds.items())
        if part != WHOLE
    ]
    return [
        Chart("Seconds of Monty by part", stacked(rows, "seconds")),
        Chart(
            "Share of each part", stacked(rows, "share of Monty's time", shares=True)
        ),
    ]


def speed_up_charts(rows: Sequence[Row]) -> list[Chart]:
    """Return the speed-up by objects and by learning modules, where both vary."""
    points = [
        row for row in rows if row["ratio"] is not None and row["backend"] != _base(row)
    ]
    charts = []
    for by, fixed in (("objects", "lms"), ("lms", "objects")):
        for (what, updater, count), found in _by(points, "benchmark", "updater", fixed):
            if len({row[by] for row in found}) < 2:
                continue
            spec = spread_lines(
                [
                    {
                        "series": _series(row, found),
                        "x": row[by],
                        "y": row["ratio"],
                        "low": row["ratio_quartiles"][0],
                        "high": row["ratio_quartiles"][1],
                    }
                    for row in sorted(found, key=lambda row: row[by])
                ],
                NAMES[by],
                f"times faster than {_base(found[0])}",
            )
            of = f"{WHAT[what]}, {count} {NAMES[fixed]}, {updater} updater"
            charts.append(Chart(f"Speed-up by {NAMES[by]}", spec, SPREAD, of))
    return charts


def _run_section(one: Input) -> Section:
    rows = one.content["rows"]
    first = rows[0]
    facts = known(
        ("Experiment", first["experiment"]),
        ("Overrides", " ".join(first["overrides"])),
        ("Episodes", first["episodes"]),
        ("Steps", first["steps"]),
        ("Rounds", first["rounds"]),
    )
    parts = list(first["seconds"])
    table = Table(
        "Seconds of Monty, medians over the rounds",
        (
            *("Side", *(part.capitalize() for part in parts)),
            *("CPU", "Times faster", "Quartiles", "Start", "Version"),
        ),
        [
            (
                row["backend"],
                *(row["seconds"][part] for part in parts),
                row["cpu_s"],
                row["ratio"],
                _range(row["ratio_quartiles"]),
                row["start_s"],
                row["version"],
            )
            for row in rows
        ],
    )
    charts = phase_charts([(row["backend"], row["seconds"]) for row in rows])
    return Section("Whole runs", str(one.path), [facts, *charts, table])


def synthetic_rows(benchmarks: Sequence[Input]) -> list[Row]:
    """Return the rows of benchmarks on synthetic objects, with the run of each."""
    return [
        {**row, "benchmark": one.content["benchmark"], "run": i}
        for i, one in enumerate(benchmarks)
        for row in one.content["rows"]
    ]


def _synthetic_section(benchmarks: Sequence[Input]) -> Section:
    rows = synthetic_rows(benchmarks)
    charts = speed_up_charts(rows)
    table = Table(
        "Benchmarks",
        (
            *("Backend", "Learning modules", "Objects", "Updater", "Groups"),
            *("ms per step", "Times faster", "Quartiles", "Hypotheses", "Peak MiB"),
            *("Rounds", "Version", "Timed"),
        ),
        [
            (
                row["backend"],
                row["lms"],
                row["objects"],
                row["updater"],
                "as Monty forms them" if row["groups"] is None else _grouping(row),
                1e3 * row["median_s"] / row["steps"],
                row["ratio"],
                row["ratio_quartiles"] and _range(row["ratio_quartiles"]),
                row["hypotheses"],
                row["peak_mib"],
                row["rounds"],
                row["version"],
                WHAT[row["benchmark"]],
            )
            for row in rows
        ],
    )
    return Section(
        "Learning modules on synthetic objects",
        ", ".join(str(one.path) for one in benchmarks),
        [*(charts or _ratios(rows)), table],
    )


def _ratios(rows: Sequence[Row]) -> list[Chart]:
    compared = [row for row in rows if row["ratio"] is not None]
    if not compared:
        return []
    base = _base(compared[0])
    spec = bars(
        [
            {
                "name": f"{row['backend']}, {row['lms']} x {row['objects']}",
                "series": "",
                "value": row["ratio"],
                "label": f"{row['ratio']:.3g} ({_range(row['ratio_quartiles'])})",
            }
            for row in compared
        ],
        f"times faster than {base}",
    )
    return [Chart(f"Times faster than {base}, with quartiles", spec)]


def _base(row: Row) -> str:
    return row.get("baseline", UPSTREAM)  # files of older releases do not say it


def _by(rows: Sequence[Row], *keys: str) -> Iterator[tuple[tuple, list[Row]]]:
    found: dict[tuple, list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[key] for key in keys)].append(row)
    yield from found.items()


def _series(row: Row, others: Sequence[Row]) -> str:
    groupings = {_grouping(one) for one in others if one["backend"] == row["backend"]}
    several = len(groupings) > 1
    return f"{row['backend']}, {_grouping(row)}" if several else row["backend"]


def _grouping(row: Row) -> str:
    groups = row["groups"]
    if groups is None:
        return "groups of Monty"
    if len(groups) == 1:
        return "one group"
    if all(len(group) == 1 for group in groups):
        return "one group each"
    return f"groups {show_groups(groups)}"


def _range(pair: Sequence[float]) -> str:
    return f"{pair[0]:.3g} to {pair[1]:.3g}"
