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
from unittest.mock import patch

from monty_tools.report import timeline
from monty_tools.report.timeline import data_of

MONTY = {
    "ph": "M",
    "name": "thread_name",
    "pid": 1,
    "tid": 0,
    "args": {"name": "Monty"},
}


def span(name: str, start: float, length: float, **more: object) -> dict:
    args = {"episode": 0, "step": more.pop("step", 0)}
    event = {"ph": "X", "name": name, "pid": 1, "tid": 0, "ts": start, "dur": length}
    return {**event, "args": args, **more}


class DataOfTest(unittest.TestCase):
    def shown(self, *events: dict) -> list[tuple[str, float, float, int]]:
        """Return the name, start, end in microseconds, and the lane of each event."""
        data, _ = data_of(events)
        start, found = 0, []
        for after, length, lane, name, _ in data["events"]:
            start += after
            scale = data["unit"] * 1e6
            end = round((start + length) * scale, 6)
            found.append((data["names"][name], round(start * scale, 6), end, lane))
        return found

    def test_times_count_from_the_first_event_to_a_tenth_of_a_microsecond(self) -> None:
        found = self.shown(span("pack", 105.26, 2.5), span("votes", 100, 4))
        self.assertEqual(found, [("votes", 0, 4, 0), ("pack", 5.3, 7.8, 0)])

    def test_what_is_within_another_event_is_a_lane_below_it(self) -> None:
        events = [span("pack", 2, 3), span("step", 0, 10), span("votes", 6, 4)]
        lanes = {
            name: lane for name, *_, lane in self.shown(*events, span("step", 10, 1))
        }
        self.assertEqual(lanes, {"step": 0, "pack": 1, "votes": 1})

    def test_rows_have_the_names_of_their_threads(self) -> None:
        data, _ = data_of([MONTY, span("step", 0, 5), span("pack", 1, 1)])
        self.assertEqual(data["lanes"], ["0|Monty", "1|"])

    def test_kernels_and_unknown_phases_have_colours_too(self) -> None:
        events = [span("k<double>", 0, 1, cat="gpu", pid=2), span("tea", 0, 1)]
        data, _ = data_of(events)
        self.assertEqual({*data["phases"]}, {"on the GPU", "other"})

    def test_steps_are_told_apart(self) -> None:
        data, _ = data_of([span("step", 0, 1, step=3), span("step", 1, 1, step=4)])
        self.assertEqual(data["steps"], [(0, 3), (0, 4)])

    def test_what_does_not_fit_on_a_page_is_counted(self) -> None:
        with patch.object(timeline, "MOST_EVENTS", 2):
            data, left_out = data_of(span("step", i, 1) for i in range(5))
        self.assertEqual((len(data["events"]), left_out), (2, 3))

    def test_of_thousands_of_rows_the_first_ones_are_shown(self) -> None:
        host = [span("process", i, 1, tid=i) for i in range(2_500)]
        streams = [span("update", i, 1, pid=2, tid=i, cat="gpu") for i in range(30)]
        data, left_out = data_of([*host, *streams])
        self.assertEqual(len(data["lanes"]), 48)
        self.assertEqual(left_out, 2_500 + 30 - 48)

    def test_what_is_nested_deeply_shares_a_lane(self) -> None:
        found = self.shown(*(span("step", i, 100 - 2 * i) for i in range(40)))
        self.assertEqual(max(lane for *_, lane in found), 9)

    def test_long_names_keep_their_ends(self) -> None:
        names = [f"a_very_long_learning_module_{i}" for i in range(2)]
        rows = [{**MONTY, "tid": i, "args": {"name": n}} for i, n in enumerate(names)]
        data, _ = data_of([*rows, *(span("step", 0, 1, tid=i) for i in range(2))])
        self.assertEqual(len({label.partition("|")[2] for label in data["lanes"]}), 2)
        self.assertTrue(all(len(label) <= 20 for label in data["lanes"]))
