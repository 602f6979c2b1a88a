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

from monty_tools.compare.figures import (
    METRICS,
    Compared,
    Figures,
    Tolerances,
    compared,
)

SAME = (90.0, 10.0, 30.0, 12.5, 2.0, 5.0, 100.0)


def figures(*values: float | None, wall_s: float | None = 120.0) -> Figures:
    names = (metric.name for metric in METRICS)
    return Figures(dict(zip(names, values or SAME, strict=True)), 600.0, wall_s)


def compare(*proposed: float | None, **tolerances: float) -> Compared:
    return compared("e", figures(), figures(*proposed), Tolerances(**tolerances))


def results(found: Compared) -> list[str]:
    return [row.result for row in found.rows]


class JudgeTest(unittest.TestCase):
    def test_the_same_is_unchanged(self) -> None:
        found = compare(*SAME)
        self.assertEqual({*results(found)}, {"unchanged"})
        self.assertEqual({row.delta for row in found.rows}, {0})
        self.assertTrue(found.is_equal)
        self.assertEqual(found.notes, ())

    def test_which_direction_is_better(self) -> None:
        more = compare(*(2 * value for value in SAME))
        expected = ["better", *["worse"] * 5, "better"]
        self.assertEqual(results(more), expected)
        less = compare(*(value / 2 for value in SAME))
        other = {"better": "worse", "worse": "better"}
        self.assertEqual(results(less), [other[result] for result in expected])

    def test_results_must_be_equal_but_times_need_not(self) -> None:
        found = compare(90.0, 10.0, 30.0, 12.5 + 1e-12, 2.19, 4.51, 100.0)
        self.assertEqual([*results(found)].count("unchanged"), 6)
        self.assertEqual(found.rows[3].result, "worse")
        self.assertFalse(found.is_equal)

    def test_times_alone_are_no_difference(self) -> None:
        found = compare(90.0, 10.0, 30.0, 12.5, 20.0, 1.0, 100.0)
        self.assertEqual(results(found)[4:6], ["worse", "better"])
        self.assertTrue(found.is_equal)

    def test_tolerances_are_relative_to_the_baseline(self) -> None:
        for times, expected in ((0.5, "unchanged"), (0.49, "worse")):
            found = compare(90.0, 10.0, 30.0, 12.5, 3.0, 5.0, 100.0, times=times)
            self.assertEqual(found.rows[4].result, expected)
        found = compare(89.2, 10.0, 30.0, 12.5, 2.0, 5.0, 100.0, results=0.01)
        self.assertTrue(found.is_equal)

    def test_no_recognised_object_on_a_side(self) -> None:
        without = figures(90.0, 10.0, 30.0, None, 2.0, 5.0, 100.0)
        for left, right, expected in (
            (figures(), without, "worse"),
            (without, figures(), "better"),
            (without, without, "unchanged"),
        ):
            found = compared("e", left, right, Tolerances())
            self.assertEqual(found.rows[3].result, expected)
            self.assertIsNone(found.rows[3].delta)

    def test_times_are_counted_alike_on_both_sides(self) -> None:
        found = compared("e", figures(), figures(wall_s=None), Tolerances())
        self.assertEqual(found.rows[4].baseline, 10)
        self.assertEqual(found.rows[4].proposed, 10)
        self.assertIn("sum of the episodes", found.notes[0])

    def test_another_number_of_episodes_is_said(self) -> None:
        found = compare(90.0, 10.0, 30.0, 12.5, 2.0, 5.0, 99.0)
        self.assertIn("different episodes", found.notes[0])
        self.assertFalse(found.is_equal)
