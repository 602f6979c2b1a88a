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
from pathlib import Path

from monty_tools.bench.real_run import Recorded, TimedRun, TimedSide
from monty_tools.bench.report import run_rows, show_runs
from monty_tools.workers.sides import Run

PARTS = ("sensor modules", "learning modules", "votes", "resets", "other")


def recorded(episodes: int) -> Recorded:
    end = {"ending": "finished", "episodes": episodes, "steps": 20}
    return Recorded(Path("run.rec.zip"), Run("cups", ("a=1",)), end)


def episode(whole: float) -> dict[str, float]:
    return {
        **dict.fromkeys(PARTS, 0.0),
        "learning modules": whole * 3 / 4,
        "other": whole / 4,
        "whole": whole,
        "CPU": whole * 2,
    }


def timed(name: str, *rounds: tuple[float, ...]) -> TimedSide:
    """Return a side; a round is the start, then the whole of each episode."""
    runs = [TimedRun(start, [episode(s) for s in rest]) for start, *rest in rounds]
    return TimedSide(name, "1", runs)


class RunRowsTest(unittest.TestCase):
    def setUp(self) -> None:
        sides = [
            timed("upstream", (4.0, 5.0, 3.0, 4.0), (4.0, 4.0, 2.0, 4.0)),
            timed("fast", (4.0, 2.0, 1.0, 1.0), (8.0, 1.0, 0.5, 0.5)),
        ]
        self.rows = run_rows(sides, recorded(episodes=3))
        self.upstream, self.fast = self.rows

    def test_seconds_are_medians_over_rounds_of_all_episodes(self) -> None:
        self.assertEqual(self.fast["rounds_s"], [4, 2])
        self.assertEqual(self.fast["seconds"]["whole"], 3)
        self.assertEqual(self.fast["seconds"]["learning modules"], 2.25)
        self.assertEqual(self.fast["cpu_s"], 6)
        self.assertEqual(self.fast["start_s"], 6)

    def test_ratios_say_how_many_times_faster(self) -> None:
        # Within the rounds it is 3 and 5; the ratio of the medians is 11 / 3.
        self.assertEqual(self.fast["ratio"], 4)
        self.assertEqual(self.fast["ratio_quartiles"], [3.5, 4.5])
        self.assertEqual(self.fast["start_ratio"], 0.75)
        self.assertEqual(self.fast["start_ratio_quartiles"], [0.625, 0.875])
        self.assertEqual(self.upstream["ratio"], 1)

    def test_the_first_episode_is_beside_the_median_of_the_others(self) -> None:
        self.assertEqual(self.fast["first_episode_s"], 1.5)
        self.assertEqual(self.fast["other_episodes_s"], 0.75)

    def test_an_unfinished_episode_is_none_of_the_others(self) -> None:
        side = timed("upstream", (1.0, 4.0, 2.0, 9.0))
        [row] = run_rows([side], recorded(episodes=2))
        self.assertEqual((row["first_episode_s"], row["other_episodes_s"]), (4, 2))
        self.assertEqual(row["seconds"]["whole"], 15)

    def test_one_episode_has_no_others(self) -> None:
        [row] = run_rows([timed("upstream", (1.0, 4.0))], recorded(episodes=1))
        self.assertIsNone(row["first_episode_s"])
        self.assertRegex(show_runs([row]), r"(?m)^upstream .* -  +-$")

    def test_a_row_has_every_figure(self) -> None:
        row = json.loads(json.dumps(self.rows))[1]
        self.assertEqual((row["experiment"], row["overrides"]), ("cups", ["a=1"]))
        self.assertEqual([run["start_s"] for run in row["runs"]], [4, 8])
        self.assertEqual(row["runs"][1]["times"][0]["whole"], 1)

    def test_the_tables_have_one_line_per_side(self) -> None:
        text = show_runs(self.rows)
        self.assertIn("cups, 3 episodes, 20 steps", text)
        parts, start = [
            line.split() for line in text.splitlines() if line.startswith("fast")
        ]
        self.assertEqual(parts[6:10], ["3.000", "6.000", "4.000", "3.500..4.500"])
        self.assertEqual(
            start[1:], ["6.000", "0.750", "0.625..0.875", "1.500", "0.750"]
        )
