# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import os
import threading
import time
import unittest

from monty_tools.workers.turns import in_turn, ring


class RingTest(unittest.TestCase):
    def setUp(self) -> None:
        self.done: list[tuple[int, str]] = []

    def places(self, count: int) -> list[tuple[int, int]]:
        """Return places as processes get them: with copies of the descriptors."""
        with ring(count) as places:
            return [(os.dup(own), os.dup(following)) for own, following in places]

    def work(self, number: int, place: tuple[int, int], works: str) -> None:
        for work in in_turn(place, works):
            self.done.append((number, work))
            time.sleep(0.001)  # whoever does not wait for its turn comes too soon
        for end in place:
            os.close(end)

    def test_each_does_one_piece_of_work_on_its_turn(self) -> None:
        threads = [
            threading.Thread(target=self.work, args=(number, place, "abc"))
            for number, place in enumerate(self.places(3))
        ]
        for thread in reversed(threads):
            thread.start()
        for thread in threads:
            thread.join(10)
        self.assertEqual(self.done, [(n, w) for w in "abc" for n in range(3)])

    def test_one_alone_does_all_of_its_work(self) -> None:
        [place] = self.places(1)
        self.work(0, place, "abc")
        self.assertEqual(self.done, [(0, "a"), (0, "b"), (0, "c")])

    def test_whoever_is_in_no_ring_does_not_wait(self) -> None:
        self.assertEqual([*in_turn(None, "abc")], ["a", "b", "c"])

    def test_if_one_ends_early_so_does_the_next(self) -> None:
        first, second = self.places(2)
        self.work(0, first, "a")
        self.work(1, second, "abc")
        self.assertEqual(self.done, [(0, "a"), (1, "a")])
