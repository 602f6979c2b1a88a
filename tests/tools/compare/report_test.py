# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import json
import re
import unittest

from monty_tools.compare.figures import Tolerances, compared
from monty_tools.compare.report import LeftOut, Report, escaped, markdown, show, to_json
from monty_tools.machine import in_a_line, this_machine
from tests.tools.compare.judge_test import figures

MACHINE = {"processor": "Abacus", "cores": 2, "python": "3.11"}
HOSTILE = "a|b\n| c |\n\n# d `e` <b>f</b> [g](h) *i* _j_ ~~k~~ \x1b[31m $l$ @m"


def report(name: str = "base_77obj_dist_agent") -> Report:
    proposed = figures(91.5, 10.0, 35.0, None, 2.0, 5.0, 100.0)
    rows = compared(name, figures(), proposed, Tolerances())
    return Report(
        "upstream",
        "fork (numba)",
        Tolerances(),
        "Times: measured.",
        [MACHINE],
        [rows],
        [LeftOut("habitat_one", "needs habitat_sim, which is not installed")],
    )


def cells(line: str) -> list[str]:
    """Return the cells of a row, as GitHub finds them."""
    inner = re.sub(r"^\s*\||\|\s*$", "", line)
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", inner)]


class MarkdownTest(unittest.TestCase):
    def test_the_table_that_reviewers_know(self) -> None:
        lines = markdown(report()).splitlines()
        start = lines.index("### base_77obj_dist_agent") + 2
        rows = [cells(line) for line in lines[start : start + 9]]
        self.assertEqual(rows[0], ["Metric", "Baseline", "Proposed", "Δ", "Result"])
        self.assertTrue(all(set(cell) <= {"-", ":"} for cell in rows[1]))
        self.assertEqual(
            rows[2:],
            [
                ["percent_correct (%)", "90", "91.5", "1.5", "✅ better"],
                ["used_mlh (%)", "10", "10", "0", "⬜ unchanged"],
                ["match_steps", "30", "35", "5", "❌ worse"],
                ["rotation_error (deg)", "12.5", "-", "-", "❌ worse"],
                ["runtime (min)", "2", "2", "0", "⬜ unchanged"],
                ["episode_runtime (sec)", "5", "5", "0", "⬜ unchanged"],
                ["num_episodes", "100", "100", "0", "⬜ unchanged"],
            ],
        )
        self.assertEqual(len({len(line) for line in lines[start : start + 9]}), 1)

    def test_says_what_was_compared_where_and_how(self) -> None:
        text = markdown(report())
        for part in (
            "Baseline: upstream.",
            "Proposed: fork (numba).",
            "2 cores of Abacus",
            "results that are equal, times that are within 10 % of the baseline",
            "Times: measured.",
            "- habitat_one: needs habitat_sim, which is not installed\n",
        ):
            self.assertIn(part, text)

    def test_hostile_names_stay_text(self) -> None:
        found = report(HOSTILE)
        found.left_out = [LeftOut(HOSTILE, HOSTILE)]
        found.baseline = HOSTILE
        plain = report("name")
        plain.left_out = [LeftOut("name", "name")]
        lines, expected = markdown(found).splitlines(), markdown(plain).splitlines()
        self.assertEqual(len(lines), len(expected))
        for line, other in zip(lines, expected, strict=True):
            self.assertTrue(line.isprintable())
            self.assertEqual(len(cells(line)), len(cells(other)))
        self.assertNotIn("\n", escaped(HOSTILE))
        for special in ("`e`", "<b>", "[g]", "*i*", " _j", "~~k", "$l", "@m", "# d"):
            self.assertIsNone(
                re.search(rf"(?<!\\){re.escape(special)}", escaped(HOSTILE))
            )

    def test_ordinary_names_are_as_they_are(self) -> None:
        for name in ("test/eval_mujoco", "fork (numba), tbp.monty 0.55.0+backends.15"):
            self.assertEqual(escaped(name), name)

    def test_a_small_difference_is_not_shown_as_none(self) -> None:
        found = report()
        left = figures(90.0, 10.0, 30.0, 12.5 + 1e-7, 2.0, 5.0, 100.0)
        found.compared = [compared("e", figures(), left, Tolerances())]
        self.assertRegex(
            markdown(found), r"rotation_error \(deg\) .* 1e-07 \| ❌ worse"
        )


class JsonTest(unittest.TestCase):
    def test_is_complete_and_valid(self) -> None:
        found = json.loads(json.dumps(to_json(report()), allow_nan=False))
        self.assertEqual(found["format"], "monty-compare")
        self.assertEqual(found["format_version"], 1)
        self.assertEqual(found["machine"], MACHINE)
        self.assertEqual(found["tolerances"], {"results": 0.0, "times": 0.1})
        self.assertEqual([one["name"] for one in found["left_out"]], ["habitat_one"])
        [experiment] = found["experiments"]
        self.assertEqual(len(experiment["rows"]), 7)
        self.assertEqual(
            experiment["rows"][0],
            {
                "metric": "percent_correct (%)",
                "baseline": 90.0,
                "proposed": 91.5,
                "delta": 1.5,
                "result": "better",
            },
        )


class MachineTest(unittest.TestCase):
    def test_this_one_is_described(self) -> None:
        self.assertRegex(in_a_line(this_machine()), r"^\d+ cores of [^?]+$")

    def test_what_others_noted_may_be_anything(self) -> None:
        for noted in ({}, {"cores": None}, {"gpus": 3, "system": ["x"], "{": "}"}):
            self.assertIn("cores of ?", in_a_line(noted))


class ShowTest(unittest.TestCase):
    def test_has_everything_that_the_markdown_has(self) -> None:
        text = show(report())
        for part in ("base_77obj_dist_agent", "worse", "habitat_one: needs", "Abacus"):
            self.assertIn(part, text)

    def test_hostile_names_do_not_write_to_the_terminal(self) -> None:
        found = report(HOSTILE)
        found.left_out = [LeftOut(HOSTILE, HOSTILE)]
        lines = show(found).splitlines()
        self.assertEqual(len(lines), len(show(report()).splitlines()))
        self.assertTrue(all(line.isprintable() for line in lines))
