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

from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.device.counting import CountingStream
from tbp.monty.backends.device.hypotheses import DeviceHypothesisTable
from tbp.monty.backends.failures import OutOfDeviceMemory
from tbp.monty.backends.tables.segments import SegmentKey
from tests.backends.cuda.host_device import HostStream

MUG, BOWL = SegmentKey("LM_0", "mug"), SegmentKey("LM_0", "bowl")


def rows(count: int, first: float = 0.0) -> HypothesisRows:
    return HypothesisRows(
        evidence=first + np.arange(count),
        locations=first + np.arange(3.0 * count).reshape(count, 3),
        poses=first + np.arange(9.0 * count).reshape(count, 3, 3),
        possible=np.arange(count) % 2 == 0,
    )


class SmallStream(HostStream):
    """A stream with little memory."""

    left = 10**9

    def allocate(self, nbytes: int, what: str):
        if nbytes > self.left:
            raise OutOfDeviceMemory(what)
        self.left -= nbytes
        return super().allocate(nbytes, what)


class DeviceHypothesisTableTest(unittest.TestCase):
    def setUp(self) -> None:
        self.stream = CountingStream(SmallStream())
        self.table = DeviceHypothesisTable(self.stream, window_size=10)
        self.mug, self.bowl = self.table.index(MUG), self.table.index(BOWL)

    def assert_rows(self, segment: int, expected: HypothesisRows) -> None:
        np.testing.assert_equal(vars(self.table.rows(segment)), vars(expected))

    def test_segments_keep_their_rows_when_they_grow_and_move(self) -> None:
        self.table.assign(self.mug, rows(5))
        self.table.assign(self.bowl, rows(300, first=1e3))
        for size in (10, 1_000, 100_000):
            self.table.reserve([self.mug, self.bowl], [size, 2 * size])
            self.assert_rows(self.mug, rows(5))
            self.assert_rows(self.bowl, rows(300, first=1e3))

    def test_what_is_assigned_again_and_again_takes_no_more_memory(self) -> None:
        self.table.assign(self.bowl, rows(300))
        for first in range(100):
            self.table.assign(self.mug, rows(50, first))
        self.assert_rows(self.bowl, rows(300))
        self.assertLess(self.table.capacity, 2_000)

    def test_a_fork_changes_nothing_of_its_table(self) -> None:
        self.table.assign(self.mug, rows(5))
        self.table.assign(self.bowl, rows(9))
        fork = self.table.fork()
        fork.assign(self.mug, rows(300, first=1e3))
        fork.write(self.bowl, "evidence", np.full(9, 7.0))
        fork.write(self.bowl, "poses", np.ones((9, 3, 3)))
        fork.index(SegmentKey("LM_1", "cup"))
        self.assert_rows(self.mug, rows(5))
        self.assert_rows(self.bowl, rows(9))
        self.assertEqual(len(self.table), 2)
        self.table = fork
        self.assert_rows(self.mug, rows(300, first=1e3))
        found = self.table.rows(self.bowl)
        np.testing.assert_array_equal(found.evidence, np.full(9, 7.0))
        np.testing.assert_array_equal(found.locations, rows(9).locations)
        np.testing.assert_array_equal(found.poses, np.ones((9, 3, 3)))

    def test_the_table_is_unchanged_if_memory_runs_out(self) -> None:
        self.table.assign(self.mug, rows(5))
        for left in (0, 20_000, 60_000):
            self.stream.counted.left = left
            with self.assertRaises(OutOfDeviceMemory):
                self.table.fork().assign(self.bowl, rows(1000))
            self.assert_rows(self.mug, rows(5))
            self.assertEqual(self.table.counts.tolist(), [5, 0])

    def test_what_is_known_of_a_segment_needs_no_transfer(self) -> None:
        self.table.assign(self.mug, rows(5))
        self.table.know([self.mug])
        before = self.stream.moved.from_device
        self.table.know([self.mug, self.bowl])
        self.assertEqual(self.table.most_likely.tolist(), [4, -1])
        self.assertEqual(self.table.highest.tolist(), [4.0, -np.inf])
        self.assertEqual(self.stream.moved.from_device, before)

    def test_one_hypothesis_is_transferred_alone(self) -> None:
        self.table.assign(self.bowl, rows(3, first=1e3))
        self.table.assign(self.mug, rows(5))
        before = self.stream.moved.from_device
        found = self.table.hypothesis(self.mug, 3)
        self.assertEqual(self.stream.moved.from_device, before + 13 * 8)
        expected = rows(5)
        for part, name in zip(found, ("evidence", "locations", "poses"), strict=True):
            np.testing.assert_array_equal(part, getattr(expected, name)[3])


if __name__ == "__main__":
    unittest.main()
