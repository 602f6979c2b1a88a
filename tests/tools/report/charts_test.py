# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import unittest

import vl_convert

from monty_tools.report.bench_sections import speed_up_charts
from monty_tools.report.charts import (
    bars,
    dots,
    over_steps,
    spread_lines,
    stacked,
    stacked_over_steps,
)

LINES = [
    {
        "series": name,
        "x": x,
        "y": x * factor,
        "low": x * factor / 2,
        "high": x * factor * 2,
    }
    for name, factor in (("one", 1.0), ("two", 1.01))
    for x in (1, 10, 40)
]
STEPS = [
    {"episode": episode, "lm": lm, "step": step, "series": name, "y": float(step + i)}
    for episode in (0, 1)
    for lm in ("a", "b")
    for i, name in enumerate(("mug", "bowl"))
    for step in range(3)
]


def texts_at(spec: dict) -> dict[str, float]:
    """Return the heights of the labels at the ends of lines."""
    return {row["series"]: row["y"] for row in spec["layer"][-1]["data"]["values"]}


class SpecsTest(unittest.TestCase):
    def test_vega_lite_takes_every_chart(self) -> None:
        bar = {"name": "votes", "series": "", "value": 2.0, "label": "2 s"}
        part = {
            "name": "numba",
            "part": "votes",
            "order": 0,
            "value": 2.0,
            "label": "2 s",
        }
        dot = {"name": "mug", "x": 3.0, "kind": "right", "label": ""}
        for spec in (
            bars([bar], "seconds"),
            bars([bar, {**bar, "series": "other"}], "seconds"),
            stacked([part], "seconds"),
            stacked([part], "share", shares=True),
            spread_lines(LINES, "objects", "times faster"),
            dots([dot], "degrees", ("right", "wrong")),
        ):
            svg = vl_convert.vegalite_to_svg({**spec, "width": 300})
            self.assertGreater(svg.count("<text"), 3)

    def test_labels_of_lines_that_end_together_do_not_overlap(self) -> None:
        found = texts_at(spread_lines(LINES, "objects", "times faster"))
        self.assertGreater(found["two"] / found["one"], 1.2)

    def test_steps_are_packed_without_loss(self) -> None:
        spec = over_steps(STEPS, "evidence", chosen=("episode", "lm"))
        columns = spec["layer"][0]["data"]["columns"]
        rows = [
            {name: found["of"][found["at"][i]] for name, found in columns.items()}
            for i in range(len(STEPS))
        ]
        self.assertEqual(rows, STEPS)

    def test_the_reader_chooses_by_value_and_names_are_never_expressions(self) -> None:
        hostile = [{**row, "lm": "a' || true", "series": "datum.x"} for row in STEPS]
        for spec in (
            over_steps(hostile, "evidence", chosen=("episode", "lm")),
            stacked_over_steps(hostile, "MiB"),
        ):
            layers = spec.get("layer", [spec])
            filters = [one["filter"] for layer in layers for one in layer["transform"]]
            known = {"datum.episode === episode", "datum.lm === lm"}
            self.assertLessEqual({*filters}, known)


class BenchmarksTest(unittest.TestCase):
    def row(self, backend: str, lms: int, objects: int, **more: object) -> dict:
        row = {
            "benchmark": "lm-phase",
            "updater": "default",
            "groups": None,
            "steps": 10,
            "median_s": 0.1,
            "rounds_s": [0.09, 0.1, 0.12],
            "ratio": 2.0 * lms,
            "ratio_quartiles": [1.5 * lms, 2.5 * lms],
        }
        return {**row, "backend": backend, "lms": lms, "objects": objects, **more}

    def test_there_is_a_chart_for_each_size_that_varies(self) -> None:
        rows = [self.row("numba", 5, 10), self.row("numba", 5, 40)]
        self.assertEqual(
            [c.title for c in speed_up_charts(rows)], ["Speed-up by objects"]
        )
        rows.append(self.row("numba", 1, 10))
        titles = [chart.title for chart in speed_up_charts(rows)]
        self.assertEqual(
            titles, ["Speed-up by objects", "Speed-up by learning modules"]
        )
        self.assertEqual(speed_up_charts(rows[:1]), [])

    def test_the_baseline_is_named_and_not_drawn(self) -> None:
        base = {"baseline": "numba"}
        rows = [self.row("numba", 5, n, **base) for n in (1, 2)]
        self.assertEqual(speed_up_charts(rows), [])
        rows += [self.row("cuda", 5, n, **base) for n in (1, 2)]
        [chart] = speed_up_charts(rows)
        self.assertIn("times faster than numba", str(chart.spec))
        self.assertEqual(
            {row["series"] for row in chart.spec["data"]["values"]}, {"cuda"}
        )

    def test_upstream_and_what_has_no_ratio_are_not_drawn(self) -> None:
        rows = [self.row("upstream", 5, n, ratio=1.0) for n in (1, 2)]
        rows += [self.row("cuda", 5, n, ratio=None) for n in (1, 2)]
        self.assertEqual(speed_up_charts(rows), [])
