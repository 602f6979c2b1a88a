# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Packs the events of a trace for the page's timeline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..profile.schema import HOST
from .charts import Spec
from .style import SERIES

__all__ = ["MOST_EVENTS", "data_of"]

MOST_EVENTS = 60_000
"""About one megabyte; Perfetto shows more than a page can."""

MOST_ROWS = 24
"""Threads of the host that are shown, and streams of devices."""

DEEPEST = 9
"""The last lane of a row, for all that is within nine other events or more."""

UNIT_S = 1e-7
"""The resolution of the timeline. Traces are in microseconds."""

LONGEST_NAME = 18

BLUE, ORANGE, GREEN, RED, PINK, SKY, GREY, OLIVE = SERIES

COLORS = {
    "setup": "#b9c4cf",
    "run": "#dde1e6",
    "episode": "#c9ced4",
    "step": "#aab2ba",
    "environment": GREY,
    "sensor modules": SKY,
    "dispatch": ORANGE,
    "pack": "#F0E442",
    "launch": RED,
    "wait": "#d9a9c0",
    "result": PINK,
    "process": BLUE,
    "votes": GREEN,
    "goals": OLIVE,
    "motor": "#7fd1b9",
    "reset": "#b58b5a",
    "logging": "#98a4b3",
    "profile": "#d8d0b8",
    "on the GPU": "#8a6fd1",
    "other": GREY,
}
"""The colour of each phase. Bars also have their names, where there is room."""

Event = Mapping[str, Any]


def data_of(trace_events: Iterable[Event]) -> tuple[dict[str, Any], int]:
    """Return what the page's script draws.

    Args:
        trace_events: Events of a Chrome trace.

    Returns:
        The data, and how many events were left out: those of rows that do not fit on a
        page, and those after the first `MOST_EVENTS`.
    """
    events = list(trace_events)
    names_of_rows = {
        _row_of(event): str(event["args"].get("name", ""))
        for event in events
        if event["ph"] == "M" and event["name"] == "thread_name"
    }
    complete = [event for event in events if event["ph"] == "X"]
    rows = _shown_rows({_row_of(event) for event in complete})
    # Of two that start together, the longer one encloses the other.
    spans = sorted(
        (event for event in complete if _row_of(event) in rows),
        key=lambda event: (event["ts"], -event["dur"]),
    )[:MOST_EVENTS]
    depths = _depths(spans)
    lanes = sorted(
        {(*_row_of(event), depth) for event, depth in zip(spans, depths, strict=True)}
    )
    names, steps = _Numbers(), _Numbers()
    packed: list[list[int]] = []
    phases: list[str] = []
    first = before = spans[0]["ts"] if spans else 0
    number = {lane: i for i, lane in enumerate(lanes)}
    for event, depth in zip(spans, depths, strict=True):
        phase, lane = _phase(event), (*_row_of(event), depth)
        i = names.of((event["name"], phase))
        if i == len(phases):
            phases.append(phase)
        args = event.get("args", {})
        packed.append(
            [
                _units(event["ts"] - first) - _units(before - first),
                _units(event["dur"]),
                number[lane],
                i,
                steps.of((args.get("episode"), args.get("step"))),
            ]
        )
        before = event["ts"]
    end = max((event["ts"] + event["dur"] for event in spans), default=first) - first
    used = [phase for phase in COLORS if phase in phases]
    labels = [
        f"{i}|{'' if depth else _short(names_of_rows.get((pid, tid), f'{tid}'))}"
        for i, (pid, tid, depth) in enumerate(lanes)
    ]
    data = {
        "unit": UNIT_S,
        "end": end / 1e6,
        "events": packed,
        "names": [name for name, _ in names.found],
        "phases": phases,
        "steps": steps.found,
        "lanes": labels,
        "legend": [{"name": phase, "color": COLORS[phase]} for phase in used],
        "spec": _spec(labels, used),
    }
    return data, len(complete) - len(spans)


class _Numbers:
    """Numbers values in the order in which they come."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    @property
    def found(self) -> list[Any]:
        return list(self._numbers)

    def of(self, value: Any) -> int:
        return self._numbers.setdefault(value, len(self._numbers))


def _short(name: str) -> str:
    """Return a name for an axis; the ends of names tell learning modules apart."""
    return (
        name if len(name) <= LONGEST_NAME else f"{name[:6]}…{name[7 - LONGEST_NAME :]}"
    )


def _shown_rows(rows: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the first rows of the host and of devices."""
    ordered = sorted(rows)
    host = [row for row in ordered if row[0] == HOST]
    devices = [row for row in ordered if row[0] != HOST]
    return {*host[:MOST_ROWS], *devices[:MOST_ROWS]}


def _row_of(event: Event) -> tuple[int, int]:
    return event["pid"], event["tid"]


def _phase(event: Event) -> str:
    if event.get("cat") == "gpu":
        return "on the GPU"
    return event["name"] if event["name"] in COLORS else "other"


def _depths(spans: Sequence[Event]) -> list[int]:
    """Return how many spans of its row enclose each span."""
    open_ends: dict[tuple[int, int], list[float]] = {}
    depths = []
    for span in spans:
        ends = open_ends.setdefault(_row_of(span), [])
        while ends and ends[-1] <= span["ts"]:
            ends.pop()
        depths.append(min(len(ends), DEEPEST))
        ends.append(span["ts"] + span["dur"])
    return depths


def _units(microseconds: float) -> int:
    return round(microseconds * 1e-6 / UNIT_S)


def _spec(lanes: Sequence[str], phases: Sequence[str]) -> Spec:
    y = {
        "field": "lane",
        "type": "nominal",
        "scale": {"domain": list(lanes), "paddingInner": 0.12},
        "axis": {
            "title": None,
            "labelExpr": "slice(datum.label, indexof(datum.label, '|') + 1)",
            "domain": False,
            "ticks": False,
            "labelPadding": 8,
        },
    }
    return {
        "data": {"name": "events", "values": []},
        "params": [{"name": "from", "value": 0}, {"name": "to", "value": 1}],
        "height": 21 * len(lanes),
        "encoding": {
            "y": y,
            "x": {
                "type": "quantitative",
                "scale": {
                    "domainMin": {"expr": "from"},
                    "domainMax": {"expr": "to"},
                    "nice": False,
                    "zero": False,
                },
                "axis": {
                    "title": "time since the first event",
                    "labelExpr": "format(datum.value, '.9~s') + 's'",
                    "tickCount": {"expr": "width / 110"},
                },
            },
        },
        "layer": [
            {
                "mark": {"type": "rect", "clip": True},
                "encoding": {
                    "x": {"field": "start"},
                    "x2": {"field": "end"},
                    "color": {
                        "field": "phase",
                        "type": "nominal",
                        "scale": {
                            "domain": list(phases),
                            "range": [COLORS[phase] for phase in phases],
                        },
                        "legend": None,
                    },
                    "tooltip": [
                        {"field": "what", "title": "phase"},
                        {"field": "length", "title": "takes"},
                        {"field": "when", "title": "in"},
                    ],
                },
            },
            {
                "transform": [{"filter": "datum.label"}],
                "mark": {
                    "type": "text",
                    "clip": True,
                    "fontSize": 11,
                    "color": "black",
                },
                "encoding": {"x": {"field": "middle"}, "text": {"field": "label"}},
            },
        ],
    }
