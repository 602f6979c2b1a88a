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
import unittest
from dataclasses import replace

from monty_tools.bench.measure import Measured
from monty_tools.bench.report import rows, show
from monty_tools.bench.settings import Settings

SETTINGS = Settings(lms=2, objects=3, updater="default", steps=2, threads=1)


def measured(name: str, *rounds: float) -> Measured:
    return Measured(
        name,
        version="1",
        hypotheses=[1000, 3000],
        votes=[20, 40],
        step_s=[[seconds / 4, seconds * 3 / 4] for seconds in rounds],
        cpu_s=[seconds * 2 for seconds in rounds],
        reset_s=[0.5] * len(rounds),
        loaded_mib=100,
        peak_mib=200,
    )


class RowsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.measured = [
            measured("upstream", 4.0, 8.0, 6.0),
            measured("fast", 2.0, 1.0, 3.0),
        ]

    def test_the_ratio_says_how_many_times_faster(self) -> None:
        upstream, fast = rows(self.measured, SETTINGS)
        # Within the rounds it is 2, 8 and 2; the ratio of the medians is 3.
        self.assertEqual((upstream["ratio"], fast["ratio"]), (1, 2))
        self.assertEqual(fast["ratio_quartiles"], [2, 5])

    def test_time_is_shared_among_all_hypotheses_of_all_steps(self) -> None:
        row = rows(self.measured, SETTINGS)[1]
        self.assertEqual((row["hypotheses"], row["median_s"]), (2000, 2))
        self.assertAlmostEqual(row["us_per_hypothesis"], 2 / 4000 * 1e6)
        self.assertEqual(row["iqr_s"], 1)
        self.assertEqual(row["steps_s"], [0.5, 1.5])
        self.assertEqual(row["cpu_s"], 4)

    def test_votes_are_shown_if_they_are_timed(self) -> None:
        self.assertNotIn("votes", show(rows(self.measured, SETTINGS)))
        shown = show(rows(self.measured, replace(SETTINGS, votes=10)))
        self.assertIn("30 votes sent per step", shown)
        self.assertIn("only voting is timed", shown)

    def test_a_row_says_what_was_timed(self) -> None:
        row = json.loads(json.dumps(rows(self.measured, SETTINGS)))[1]
        expected = {"backend": "fast", "lms": 2, "objects": 3, "updater": "default"}
        self.assertEqual({key: row[key] for key in expected}, expected)
        self.assertEqual(row["rounds"], 3)

    def test_groups_are_in_the_rows_and_above_the_table(self) -> None:
        self.assertIsNone(rows(self.measured, SETTINGS)[0]["groups"])
        grouped = replace(SETTINGS, lms=3, groups=((0, 1), (2,)))
        found = json.loads(json.dumps(rows(self.measured, grouped)))
        self.assertEqual(found[1]["groups"], [[0, 1], [2]])
        self.assertIn(", groups 0-1,2;", show(found))

    def test_any_side_can_be_the_baseline(self) -> None:
        fast, upstream = rows(self.measured[::-1], SETTINGS)
        self.assertEqual((fast["ratio"], upstream["ratio"]), (1, 0.5))
        self.assertIn("time of fast by", show([fast, upstream]))

    def test_one_round_has_no_spread(self) -> None:
        [row] = rows([measured("upstream", 4.0)], SETTINGS)
        self.assertEqual(row["iqr_s"], 0)


class ShowTest(unittest.TestCase):
    def test_the_table_has_one_line_per_side(self) -> None:
        one, other = measured("upstream", 4.0), measured("fast", 1.0)
        text = show(rows([one, other], SETTINGS))
        self.assertIn("2 learning modules x 3 objects", text)
        self.assertIn("threads: 1", text)
        [line] = [line for line in text.splitlines() if line.startswith("fast")]
        self.assertIn("4.000", line)
        self.assertIn("200", line)
