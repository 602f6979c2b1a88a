# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The sections about comparisons: parity, and compared experiments."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .bench_sections import phase_charts
from .charts import dots
from .content import Chart, Section, Table, known
from .inputs import Input

__all__ = ["compare_section", "parity_section"]

RESULTS = ("unchanged", "better", "worse")


def parity_section(one: Input) -> Section:
    """Return what `monty parity` found."""
    found = one.content
    names = [side["side"] for side in found["sides"]]
    times = zip(names, found["times"], strict=False)
    return Section(
        f"Parity of {' and '.join(names)}",
        str(one.path),
        [
            known(
                ("Experiment", found["sides"][0]["experiment"]),
                ("Tolerance", found["tolerance"] or "equal bits"),
            ),
            *_comparison(found),
            *_times([(name, of_side) for name, of_side in times if of_side]),
        ],
    )


def compare_section(one: Input) -> Section:
    """Return what `monty compare` found."""
    found = one.content
    parts: list[Any] = [
        known(
            ("Baseline", found["baseline"]),
            ("Proposed", found["proposed"]),
            ("Measured", found["measured"]),
        )
    ]
    for experiment in found["experiments"]:
        changes = [
            {
                "name": row["metric"],
                "x": 100 * row["delta"] / abs(row["baseline"]),
                "kind": row["result"],
                "label": row["result"],
            }
            for row in experiment["rows"]
            if row["baseline"] and row["delta"] is not None
        ]
        if changes:
            spec = dots(changes, "change, % of the baseline", RESULTS)
            parts.append(Chart(experiment["name"], spec))
        columns = ("Metric", "Baseline", "Proposed", "Difference", "Result")
        keys = ("metric", "baseline", "proposed", "delta", "result")
        rows = [[row[key] for key in keys] for row in experiment["rows"]]
        notes = "; ".join(experiment["notes"])
        parts.append(Table(f"{experiment['name']}: figures", columns, rows, notes))
    left_out = [(other["name"], other["reason"]) for other in found["left_out"]]
    if left_out:
        parts.append(Table("Not compared", ("Experiment", "Reason"), left_out))
    return Section("Compared experiments", str(one.path), parts)


def _comparison(found: Mapping[str, Any]) -> list[Any]:
    difference = found["first_difference"]
    facts = known(
        ("Result", "equal" if found["equal"] else "different"),
        ("Episodes", found["episodes"]),
        ("Steps", found["steps"]),
        ("Evidence updates", found["updates"]),
    )
    rows = [
        (row["what"], row["compared"], row["equal"], row["largest"])
        for row in found["rows"]
    ]
    columns = ("What", "Compared", "Equal", "Largest difference")
    parts: list[Any] = [facts, Table("What was compared", columns, rows)]
    if difference:
        where = [(key, _in_words(value)) for key, value in difference.items()]
        parts.insert(1, Table("First difference", ("What", "Value"), where))
    return parts


def _times(sides: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Any]:
    return (
        phase_charts([(name, of_side["seconds"]) for name, of_side in sides])
        if sides
        else []
    )


def _in_words(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
