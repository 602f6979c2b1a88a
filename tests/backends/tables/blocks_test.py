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

import numpy as np

from tbp.monty.backends.tables.blocks import (
    LARGEST_BLOCK,
    SMALLEST_BLOCK,
    make_blocks,
    owners_and_firsts,
)


class BlocksTest(unittest.TestCase):
    def test_have_all_rows_of_their_owners_in_order(self) -> None:
        for times in (1, 100, 1000):
            counts = times * np.array([300, 1000, 0, 1])
            starts = np.array([10, 500, 2000, 2000]) + 1000 * times * np.arange(4)
            blocks = make_blocks(starts, counts)
            rows = [
                (owner, row)
                for owner, start, stop in zip(
                    blocks.owners, blocks.starts, blocks.stops, strict=True
                )
                for row in range(start, stop)
            ]
            self.assertEqual(
                [
                    (owner, start + i)
                    for owner, start in enumerate(starts)
                    for i in range(counts[owner])
                ],
                rows,
            )
            lengths = blocks.stops - blocks.starts
            np.testing.assert_array_equal(blocks.offsets, np.cumsum(lengths) - lengths)

    def test_owners_and_first_rows_are_in_order(self) -> None:
        counts = np.array([300, 1000, 0, 1])
        for size in (1, 7, 5000):
            owners, firsts = owners_and_firsts(counts, size)
            self.assertEqual(
                [
                    (owner, first)
                    for owner, count in enumerate(counts)
                    for first in range(0, count, size)
                ],
                list(zip(owners, firsts, strict=True)),
            )

    def test_of_few_rows_are_small_enough_to_distribute(self) -> None:
        self.assertEqual(SMALLEST_BLOCK, self._longest(2000))

    def test_of_many_rows_are_larger(self) -> None:
        self.assertGreater(self._longest(60_000), SMALLEST_BLOCK)
        self.assertEqual(LARGEST_BLOCK, self._longest(10_000_000))

    @staticmethod
    def _longest(rows: int) -> int:
        blocks = make_blocks(np.array([0]), np.array([rows]))
        return (blocks.stops - blocks.starts).max()
