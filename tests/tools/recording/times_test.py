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

from monty_tools.recording.times import COLUMNS, show_times, summarize_times


def rounds(*seconds: float) -> list[list[dict[str, float]]]:
    """Return rounds, of which each takes so many seconds in two episodes."""
    return [[dict.fromkeys(COLUMNS, each / 2)] * 2 for each in seconds]


class TimesTest(unittest.TestCase):
    def row(self, *, upstream: tuple[float, ...], fork: tuple[float, ...]) -> list[str]:
        shown = show_times({"upstream": rounds(*upstream), "fork": rounds(*fork)})
        return shown.splitlines()[-1].split()

    def test_parts_are_those_of_the_median_round(self) -> None:
        summary = summarize_times(rounds(1, 5, 2))
        self.assertEqual(summary["rounds_s"], [1, 5, 2])
        self.assertEqual(summary["seconds"]["votes"], 2)

    def test_parts_of_an_even_number_are_the_means_of_the_two_in_the_middle(
        self,
    ) -> None:
        summary = summarize_times(rounds(1, 9, 2, 4))
        self.assertEqual(summary["seconds"]["votes"], 3)
        self.assertEqual(summary["median_episode_s"], 1.5)

    def test_the_ratio_is_the_median_within_rounds_beside_its_quartiles(self) -> None:
        row = self.row(upstream=(8, 10, 12), fork=(1, 2, 2))
        self.assertEqual(row[-2:], ["6.00", "5.500..7.000"])

    def test_one_round_has_no_spread(self) -> None:
        self.assertEqual(self.row(upstream=(8,), fork=(2,))[-2:], ["4.00", "-"])

    def test_without_time_there_is_no_ratio(self) -> None:
        self.assertEqual(self.row(upstream=(8,), fork=(0,))[-2:], ["-", "-"])
