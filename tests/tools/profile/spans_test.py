# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import time
import unittest

from monty_tools.profile.spans import MONTY, Spans


class SpansTest(unittest.TestCase):
    def setUp(self) -> None:
        self.spans = Spans()

    def taken(self) -> dict[str, list[int]]:
        """Return the own time of each span by its phase, and check the sum."""
        own: dict[str, list[int]] = {}
        for (phase, *_), nanoseconds in self.spans.take():
            own.setdefault(phase, []).append(nanoseconds)
        return own

    def test_own_time_excludes_what_is_within(self) -> None:
        inner = self.spans.timed("inner", lambda: time.sleep(0.002))

        def twice() -> None:
            inner()
            inner()

        self.spans.timed("outer", twice)()
        self.assertEqual(
            [span[0] for span in self.spans.done], ["inner"] * 2 + ["outer"]
        )
        _, _, began, ended, *_ = self.spans.done[-1]
        own = self.taken()
        self.assertEqual(sum(map(sum, own.values())), ended - began)
        self.assertGreaterEqual(min(own["inner"]), 2_000_000)
        self.assertLess(own["outer"][0], min(own["inner"]))

    def test_what_was_taken_before_its_outer_span_ended_is_not_counted_twice(
        self,
    ) -> None:
        inner = self.spans.timed("inner", lambda: time.sleep(0.002))

        def outer() -> dict[str, list[int]]:
            inner()
            return self.taken()

        before = self.spans.timed("outer", outer)()
        _, _, began, ended, *_ = self.spans.done[-1]
        after = self.taken()
        self.assertEqual(before["inner"][0] + after["outer"][0], ended - began)

    def test_a_call_that_fails_is_recorded(self) -> None:
        with self.assertRaises(ZeroDivisionError):
            self.spans.timed("fails", lambda: 1 / 0)()
        self.assertEqual(self.spans.done[0][0], "fails")

    def test_spans_say_where_and_when(self) -> None:
        self.spans.group, self.spans.episode, self.spans.step = 2, 3, 4
        answer = self.spans.timed("here", lambda one, *, other: one + other, row=7)
        self.assertEqual(answer(1, other=2), 3)
        phase, row, _, _, *at = self.spans.done[0]
        self.assertEqual((phase, row, at), ("here", 7, [2, 3, 4]))
        self.spans.timed("there", int)()
        self.assertEqual(self.spans.done[1][1], MONTY)


if __name__ == "__main__":
    unittest.main()
