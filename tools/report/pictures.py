# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Draws the pictures of the documentation from stored measurements.

`python -m tools.report.pictures` reads the JSON files in docs/measurements, as commands
wrote them, and writes docs/pictures. It needs neither a GPU nor data.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import vl_convert

from .bench_sections import (
    Row,
    phase_charts,
    speed_up_charts,
    synthetic_rows,
)
from .charts import Spec
from .content import Chart
from .inputs import Input, read_input
from .style import DARK, LIGHT, Ink, config

__all__ = ["MEASUREMENTS", "PICTURES", "draw_pictures"]

DOCS = Path(__file__).resolve().parents[2] / "docs"
MEASUREMENTS = DOCS / "measurements"
PICTURES = DOCS / "pictures"

WIDTHS = {1: 560, 2: 340}
"""Of each chart, by the number of charts of a picture."""


def draw_pictures() -> Iterator[tuple[str, str]]:
    """Yield the name of each picture, and the picture as SVG."""
    on_cpu = _read(MEASUREMENTS / "run_on_a_cpu.json").content["rows"]
    sides = [(row["backend"], row["seconds"]) for row in on_cpu]
    yield "time_on_a_cpu.svg", _svg(phase_charts(sides))
    yield "time_on_a_gpu.svg", _svg(phase_charts(_fed()))
    yield "speed_up_on_a_gpu.svg", _svg(speed_up_charts(_rows("speedup")))


def _read(file: Path) -> Input:
    found = read_input(file)
    if not isinstance(found, Input):
        raise TypeError(f"{file} is a folder")
    return found


def _rows(of: str) -> list[Row]:
    files = sorted(MEASUREMENTS.glob(f"{of}_*.json"))
    return synthetic_rows([_read(file) for file in files])


def _fed() -> list[tuple[str, dict[str, float]]]:
    """Return the seconds of each side, of runs that were fed on the same machine.

    The files are of a command of an older release.
    """
    found: dict[str, dict[str, float]] = {}
    for file in sorted(MEASUREMENTS.glob("replay_*.json")):
        for side in json.loads(file.read_text("utf-8"))["sides"]:
            name = side["side"].removeprefix("fork (").removesuffix(")")
            found.setdefault(name, side["times"]["seconds"])
    return sorted(found.items(), key=lambda side: -side[1]["whole"])


def _svg(charts: Sequence[Chart]) -> str:
    """Return charts beside each other, as a picture for light and dark grounds."""
    parts: list[Spec] = [
        {
            **chart.spec,
            "width": WIDTHS[len(charts)],
            "title": {"text": chart.title, "subtitle": chart.subtitle},
        }
        for chart in charts
    ]
    look = config(LIGHT)
    legend = {**look["legend"], "columns": 3}
    spec = {
        "hconcat": parts,
        "spacing": 40,
        "padding": 20,
        "config": {**look, "legend": legend, "background": LIGHT.ground},
    }
    svg = vl_convert.vegalite_to_svg(spec)
    opening, rest = svg.split(">", 1)
    return f"{opening}>{_dark_style()}{rest}\n"


def _dark_style() -> str:
    """Return a style that replaces the light ink where the reader prefers dark."""
    rules = " ".join(
        f'[{drawn}="{getattr(LIGHT, name)}"] {{ {drawn}: {getattr(DARK, name)}; }}'
        for name in Ink._fields
        for drawn in ("fill", "stroke")
    )
    return f"<style>@media (prefers-color-scheme: dark) {{ {rules} }}</style>"


def main() -> int:
    PICTURES.mkdir(exist_ok=True)
    for name, svg in draw_pictures():
        (PICTURES / name).write_text(svg, "utf-8")
        print(f"wrote {(PICTURES / name).relative_to(DOCS.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
