# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The colours of charts, for people with any colour vision, on light and dark.

Series have the colours of Okabe and Ito. Nothing is told by colour alone: lines have
dashes and labels, points have shapes, bars have labels.
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["DARK", "DASHES", "LIGHT", "PAGE", "SERIES", "SHAPES", "Ink", "config"]

SERIES = (
    *("#0072B2", "#E69F00", "#009E73", "#D55E00"),
    *("#CC79A7", "#56B4E9", "#8C8C8C", "#B3A800"),
)
DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 2], [12, 3], [1, 3], [6, 2, 1, 2])
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down")

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"


class Ink(NamedTuple):
    """What is drawn apart from data."""

    text: str
    faint: str
    line: str
    grid: str
    ground: str


LIGHT = Ink("#1c2024", "#5c646c", "#8b949e", "#e3e6ea", "#ffffff")
DARK = Ink("#e8ebee", "#a4adb6", "#6e7781", "#2d333b", "#15191e")
PAGE = Ink(*(f"var(--{name})" for name in Ink._fields))
"""The page's style sheet has the values, and so switches all charts at once."""


def config(ink: Ink) -> dict[str, Any]:
    """Return the part of a Vega-Lite chart that says how it looks."""
    return {
        "background": None,
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            "domainColor": ink.line,
            "gridColor": ink.grid,
            "labelColor": ink.faint,
            "labelFontSize": 12,
            "labelLimit": 160,
            "tickColor": ink.line,
            "tickSize": 4,
            "titleColor": ink.faint,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 10,
        },
        "legend": {
            "labelColor": ink.text,
            "labelFontSize": 12,
            "labelLimit": 160,
            "orient": "top",
            "symbolStrokeWidth": 2,
            "title": None,
        },
        "bar": {"stroke": ink.ground},
        "rule": {"color": ink.line},
        "text": {"color": ink.text, "fontSize": 12},
        "title": {
            "anchor": "start",
            "color": ink.text,
            "fontSize": 14,
            "fontWeight": 600,
            "subtitleColor": ink.faint,
            "subtitleFontSize": 12,
            "subtitlePadding": 4,
            "offset": 14,
        },
        "range": {"category": list(SERIES)},
    }
