# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Makes charts: values in, a Vega-Lite specification out.

All text of a run is data of a chart, never part of an expression.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from .style import DASHES, SERIES, SHAPES

__all__ = [
    "Spec",
    "bars",
    "dots",
    "over_steps",
    "spread_lines",
    "stacked",
    "stacked_over_steps",
]

Spec = dict[str, Any]
Rows = Sequence[Mapping[str, Any]]

LABEL_PX = 15
"""The least distance of two labels."""

LINES_PX = 300
"""The height of a plot of lines with their spread."""

STEPS_PX = 220
"""The height of a plot over steps."""

POINT: Spec = {"filled": True, "opacity": 1, "tooltip": True}

STEPS: Spec = {
    "field": "step",
    "type": "quantitative",
    "axis": {"title": "step", "tickMinStep": 1, "grid": False},
    "scale": {"nice": False},
}

LETTER_SHARE = 0.026
"""The width of a letter as a share of a bar, on a telephone."""


def bars(rows: Rows, value_title: str) -> Spec:
    """Return horizontal bars, each with its label, the longest first.

    Args:
        rows: With `name`, `value`, `label`, and `series` where there are several.
        value_title: What the values are, with their unit.
    """
    names = _distinct(row["name"] for row in sorted(rows, key=lambda r: -r["value"]))
    longest = max(row["value"] for row in rows)
    series = _distinct(row["series"] for row in rows)
    several = len(series) > 1
    offset = {"yOffset": {"field": "series", "sort": series}} if several else {}
    color = _color(series, legend={} if several else None)
    return {
        "data": {"values": list(rows)},
        "height": len(names) * (20 * len(series) + 6),
        "encoding": {
            "y": _names(names),
            "x": {
                **_x("value", value_title, axis={"tickCount": 5}),
                "scale": {"domain": [0, longest], "nice": False},
            },
            **offset,
        },
        "layer": [
            _layer("bar", {"color": color}, tooltip=True),
            _layer("text", {"text": {"field": "label"}}, align="left", dx=6),
        ],
    }


def stacked(rows: Rows, value_title: str, *, shares: bool = False) -> Spec:
    """Return one bar per name, made of parts.

    Args:
        rows: With `name`, `part`, `value`, and `label` of the whole bar.
        value_title: What the values are, with their unit.
        shares: Whether all bars are equally long, and show shares of the whole.
    """
    names, parts = (_distinct(row[key] for row in rows) for key in ("name", "part"))
    wholes = {n: sum(row["value"] for row in rows if row["name"] == n) for n in names}
    x = _x("value", value_title, axis={"tickCount": 5})
    if shares:
        x = {**x, "stack": "normalize", "axis": {**x["axis"], "format": "%"}}
        texts = _share_labels(rows, wholes)
    else:
        x["scale"] = {"domain": [0, max(wholes.values())], "nice": False}
        labels = {row["name"]: row["label"] for row in rows}
        texts = [{"name": n, "x": wholes[n], "text": labels[n]} for n in names]
    return {
        "data": {"values": list(rows)},
        "height": 34 * len(names),
        "encoding": {"y": _names(names)},
        "layer": [
            _layer(
                "bar",
                {
                    "x": x,
                    "color": _color(parts, field="part", legend={}),
                    "order": {"field": "order"},
                },
                tooltip=True,
            ),
            _layer(
                "text",
                {
                    "x": {"field": "x", "type": "quantitative"},
                    "text": {"field": "text"},
                },
                {"values": texts},
                **({"color": "black"} if shares else {"align": "left", "dx": 6}),
            ),
        ],
    }


def spread_lines(rows: Rows, x_title: str, y_title: str) -> Spec:
    """Return lines on logarithmic axes, with the spread of each point.

    Args:
        rows: With `series`, `x`, `y`, and the quartiles `low` and `high`.
        x_title: What x is.
        y_title: What y is, with its unit.
    """
    series = _distinct(row["series"] for row in rows)
    ticks = sorted({row["x"] for row in rows})
    least = min(row["low"] for row in rows) / 1.3
    most = max(row["high"] for row in rows) * 1.3
    ends = [
        max((r for r in rows if r["series"] == s), key=lambda r: r["x"]) for s in series
    ]
    gap = math.log(most / least) * LABEL_PX / LINES_PX
    logs = _apart([math.log(end["y"]) for end in ends], gap)
    labels = [
        {"series": end["series"], "x": end["x"], "y": math.exp(log)}
        for end, log in zip(ends, logs, strict=True)
    ]
    y = {
        "field": "y",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [least, most], "nice": False},
        "axis": {"title": y_title, "values": _round_ticks(least, most), "format": "~r"},
    }
    color = _color(series)
    x = {
        "field": "x",
        "type": "quantitative",
        "scale": {
            "type": "log",
            "domain": [ticks[0] / 1.2, ticks[-1] * 1.2],
            "nice": False,
        },
        "axis": {"title": x_title, "values": ticks, "grid": False, "format": "d"},
    }
    return {
        "data": {"values": list(rows)},
        "height": LINES_PX,
        "encoding": {"x": x},
        "layer": [
            _layer(
                "rule",
                {"y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": color},
                strokeWidth=6,
                opacity=0.4,
            ),
            _layer(
                "line",
                {"y": y, "color": color, "strokeDash": _scaled(series, DASHES)},
                strokeWidth=2,
            ),
            _layer(
                "point",
                {"y": y, "color": color, "shape": _scaled(series, SHAPES)},
                size=60,
                **POINT,
            ),
            _end_labels({"values": labels}, y),
        ],
    }


def over_steps(rows: Rows, y_title: str, *, chosen: Sequence[str]) -> Spec:
    """Return lines over the steps of an episode that the reader chooses.

    Args:
        rows: With `episode`, `lm`, `step`, `series` and `y`.
        y_title: What y is, with its unit.
        chosen: What the reader chooses: `episode`, or `episode` and `lm`.
    """
    series = _distinct(row["series"] for row in rows)
    fields = ("episode", "lm", "step", "series", "y")
    y = _y(y_title)
    # A layer with data of its own does not get the transforms of the chart.
    transform = [{"filter": f"datum.{name} === {name}"} for name in chosen]
    labels = _packed(_labels(rows, chosen), *fields)
    return {
        "height": STEPS_PX,
        "params": [{"name": name, "value": rows[0][name]} for name in chosen],
        "encoding": {"x": STEPS},
        "layer": [
            {
                "transform": transform,
                **_layer(
                    "line",
                    {
                        "y": y,
                        "color": _color(series),
                        "strokeDash": _scaled(series, DASHES),
                    },
                    _packed(rows, *fields),
                    strokeWidth=2,
                    tooltip=True,
                ),
            },
            {"transform": transform, **_end_labels(labels, y, field="step")},
        ],
    }


def stacked_over_steps(rows: Rows, y_title: str) -> Spec:
    """Return stacked areas over the steps of an episode that the reader chooses.

    Args:
        rows: With `episode`, `step`, `series` and `y`.
        y_title: What y is, with its unit.
    """
    series = _distinct(row["series"] for row in rows)
    return {
        "data": _packed(rows, "episode", "step", "series", "y"),
        "height": STEPS_PX,
        "params": [{"name": "episode", "value": rows[0]["episode"]}],
        "transform": [{"filter": "datum.episode === episode"}],
        "mark": {
            "type": "area",
            "interpolate": "step-after",
            "line": True,
            "tooltip": True,
        },
        "encoding": {
            "x": STEPS,
            "y": {**_y(y_title), "stack": "zero"},
            "color": _color(series, legend={}),
        },
    }


def dots(rows: Rows, x_title: str, kinds: Sequence[str]) -> Spec:
    """Return one row of dots per name, and a line at zero.

    Args:
        rows: With `name`, `x`, `kind`, and `label`.
        x_title: What x is, with its unit.
        kinds: All kinds of dots, in the order of their colours and shapes.
    """
    names = _distinct(row["name"] for row in rows)
    present = [kind for kind in kinds if any(row["kind"] == kind for row in rows)]
    return {
        "data": {"values": list(rows)},
        "height": 24 * len(names),
        "layer": [
            _layer("rule", {"x": {"datum": 0}}, {"values": [{}]}),
            _layer(
                "point",
                {
                    "y": _names(names, grid=True),
                    "x": _x("x", x_title, axis={"tickCount": 6, "grid": False}),
                    "color": _scaled(kinds, SERIES, "kind", {"values": present}),
                    "shape": _scaled(kinds, SHAPES, "kind", {"values": present}),
                },
                size=90,
                **POINT,
            ),
        ],
    }


def _names(names: Sequence[str], *, grid: bool = False) -> Spec:
    axis = {"grid": grid, "domain": False, "ticks": False, "labelPadding": 8}
    field = {"field": "name", "type": "nominal"}
    return {**field, "sort": list(names), "title": None, "axis": axis}


def _share_labels(rows: Rows, wholes: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return what is written into the parts of bars, where there is room for it."""
    labels = []
    for name, whole in wholes.items():
        left = 0.0
        for row in (row for row in rows if row["name"] == name):
            share = row["value"] / whole
            texts = (f"{row['part']} {share:.0%}", f"{share:.0%}")
            fits = [one for one in texts if (len(one) + 1) * LETTER_SHARE < share]
            if fits:
                labels.append({"name": name, "x": left + share / 2, "text": fits[0]})
            left += share
    return labels


def _x(field: str, title: str, axis: Spec) -> Spec:
    return {"field": field, "type": "quantitative", "axis": {"title": title, **axis}}


def _y(title: str) -> Spec:
    axis = {"title": title, "tickCount": 5, "domain": False}
    return {"field": "y", "type": "quantitative", "axis": axis}


def _color(
    names: Sequence[str], field: str = "series", legend: Spec | None = None
) -> Spec:
    return _scaled(names, SERIES, field, legend)


def _scaled(
    names: Sequence[str],
    looks: Sequence[Any],
    field: str = "series",
    legend: Spec | None = None,
) -> Spec:
    used = [looks[i % len(looks)] for i in range(len(names))]
    return {
        "field": field,
        "type": "nominal",
        "scale": {"domain": list(names), "range": used},
        "legend": legend,
    }


def _layer(kind: str, encoding: Spec, data: Spec | None = None, **mark: Any) -> Spec:
    layer = {"mark": {"type": kind, **mark}, "encoding": encoding}
    return layer if data is None else {"data": data, **layer}


def _end_labels(data: Spec, y: Spec, field: str = "x") -> Spec:
    encoding = {
        "x": {"field": field, "type": "quantitative"},
        "y": y,
        "text": {"field": "series"},
    }
    return _layer("text", encoding, data, align="left", dx=9, limit=190)


def _labels(rows: Rows, chosen: Sequence[str]) -> list[dict[str, Any]]:
    """Return the last row of every line, moved so that labels do not overlap."""
    ends: dict[tuple, dict[str, Mapping[str, Any]]] = {}
    tallest: dict[tuple, float] = {}
    for row in rows:
        key = tuple(row[name] for name in chosen)
        ends.setdefault(key, {})[row["series"]] = row
        tallest[key] = max(tallest.get(key, 0.0), abs(row["y"]))
    placed = []
    for key, last in ends.items():
        gap = tallest[key] * LABEL_PX / STEPS_PX
        heights = _apart([row["y"] for row in last.values()], gap)
        placed += [
            {**row, "y": y} for row, y in zip(last.values(), heights, strict=True)
        ]
    return placed


def _apart(heights: Sequence[float], gap: float) -> list[float]:
    """Return heights that are at least a gap apart, each near its own."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    placed = list(heights)
    for below, above in pairwise(order):
        placed[above] = max(placed[above], placed[below] + gap)
    excess = sum(placed) - sum(heights)
    return [height - excess / len(placed) / 2 for height in placed]


def _round_ticks(least: float, most: float) -> list[float]:
    """Return round numbers within a range, the rounder the larger the range is."""
    powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    digits = (1, 2, 5) if most > 5 * least else (1, 1.5, 2, 3, 4, 5, 6, 8)
    ticks = [digit * 10.0**power for power in powers for digit in digits]
    return [tick for tick in ticks if least <= tick <= most]


def _packed(rows: Iterable[Mapping[str, Any]], *names: str) -> Spec:
    """Return rows as columns, which the page's script turns into rows again.

    Every step of a run is a row: as JSON objects they would not fit on a page, and what
    Vega does to read CSV files is forbidden there.
    """
    columns: dict[str, Any] = {}
    for name, values in zip(
        names, zip(*([row[n] for n in names] for row in rows), strict=True), strict=True
    ):
        distinct = _distinct(values)
        number = {value: i for i, value in enumerate(distinct)}
        columns[name] = {"of": distinct, "at": [number[value] for value in values]}
    return {"columns": columns}


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
