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

from monty_tools.parity.report import show_times, summarize_times
from monty_tools.recording.times import COLUMNS


def took(*seconds: float) -> dict:
    """Return the summary of episodes of which each takes so many seconds."""
    return summarize_times([dict.fromkeys(COLUMNS, each) for each in seconds])


class TimesTest(unittest.TestCase):
    def test_parts_are_summed_over_the_episodes(self) -> None:
        summary = took(1, 5, 2)
        self.assertEqual(summary["seconds"]["votes"], 8)
        self.assertEqual((summary["episodes"], summary["median_episode_s"]), (3, 2))

    def test_sides_are_compared_with_the_first(self) -> None:
        shown = show_times({"upstream": took(4, 4), "fork": took(1, 1)})
        self.assertEqual(shown.splitlines()[-1].split()[-2:], ["1.000", "4.00"])
