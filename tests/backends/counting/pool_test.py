# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The pool takes from the device what CuPy's pool would."""

from __future__ import annotations

import unittest

from tbp.monty.backends.counting.pool import UNIT, CountingPool


class CountingPoolTest(unittest.TestCase):
    def setUp(self) -> None:
        self.pool = CountingPool()

    def test_rounds_up(self) -> None:
        memories = []
        for nbytes, units in ((0, 1), (1, 2), (UNIT, 3), (UNIT + 1, 5)):
            memories.append(self.pool.allocate(nbytes))
            self.assertEqual((self.pool.total, self.pool.used), (units * UNIT,) * 2)

    def test_keeps_what_is_given_back(self) -> None:
        memory = self.pool.allocate(4 * UNIT)
        del memory
        self.assertEqual((self.pool.total, self.pool.used), (4 * UNIT, 0))
        small = self.pool.allocate(UNIT)
        rest = self.pool.allocate(3 * UNIT)
        self.assertEqual((self.pool.total, self.pool.used), (4 * UNIT, 4 * UNIT))
        del small, rest
        whole = self.pool.allocate(4 * UNIT)  # the parts have joined
        self.assertEqual(self.pool.total, 4 * UNIT)
        del whole

    def test_takes_the_smallest_part_that_is_large_enough(self) -> None:
        large, small = self.pool.allocate(5 * UNIT), self.pool.allocate(2 * UNIT)
        del large, small
        first = self.pool.allocate(2 * UNIT)
        second = self.pool.allocate(5 * UNIT)
        self.assertEqual(self.pool.total, 7 * UNIT)
        del first, second

    def test_parts_of_two_allocations_do_not_join(self) -> None:
        both = [self.pool.allocate(UNIT), self.pool.allocate(UNIT)]
        del both
        self.pool.allocate(2 * UNIT)
        self.assertEqual(self.pool.total, 4 * UNIT)


if __name__ == "__main__":
    unittest.main()
