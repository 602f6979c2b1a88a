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

import numpy as np

from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.device.counting import CountingStream
from tbp.monty.backends.device.hypotheses import DeviceHypothesisTable
from tbp.monty.backends.device.layout import RESULT
from tbp.monty.backends.resident_backend import OutOfDeviceMemory
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
        for name in ("evidence", "locations", "poses", "possible"):
            found = self.table.read(segment, name)
            np.testing.assert_array_equal(found, getattr(expected, name))

    def test_segments_keep_their_rows_when_they_grow_and_move(self) -> None:
        self.table.append(self.mug, rows(5))
        self.table.append(self.bowl, rows(300, first=1e3))
        for i in range(6):
            self.table.append(self.mug, rows(100 * i + 1, first=10.0 * i))
        self.assert_rows(self.bowl, rows(300, first=1e3))
        evidence = [rows(5), *(rows(100 * i + 1, first=10.0 * i) for i in range(6))]
        np.testing.assert_array_equal(
            self.table.read(self.mug, "evidence"),
            np.concatenate([part.evidence for part in evidence]),
        )

    def test_rows_that_move_are_listed_once_for_all_columns(self) -> None:
        self.table.append(self.mug, rows(5))
        self.table.append(self.bowl, rows(300))
        self.table.sides[self.bowl] = 1
        self.table.assign(self.bowl, rows(300, first=1e3))
        with patch.object(self.stream, "send", wraps=self.stream.send) as send:
            self.table.reserve([self.mug, self.bowl], [1000, 1000])
        # For columns with one side, and for each side of the others.
        self.assertEqual(send.call_count, 3)
        self.assert_rows(self.mug, rows(5))
        self.assert_rows(self.bowl, rows(300, first=1e3))

    def test_the_table_is_unchanged_if_memory_runs_out(self) -> None:
        self.table.append(self.mug, rows(5))
        for left in (0, 20_000, 60_000):
            self.stream.counted.left = left
            with self.assertRaises(OutOfDeviceMemory):
                self.table.append(self.bowl, rows(1000))
            self.assert_rows(self.mug, rows(5))
            self.assertEqual(self.table.counts.tolist(), [5, 0])

    def test_votes_change_what_is_known_but_for_the_slopes(self) -> None:
        segments = np.array([self.mug, self.bowl])
        updated, voted = np.zeros(2, dtype=RESULT), np.zeros(2, dtype=RESULT)
        updated["highest_slope"] = [3.0, 4.0]
        voted["highest"], voted["most_likely"] = [5.0, 6.0], [1, 2]
        self.table.keep_results(segments, updated)
        self.table.keep_voted(segments[::-1], voted)
        self.assertEqual(self.table.most_likely(self.mug)[0], 2)
        self.assertEqual(self.table.most_likely(self.bowl)[0], 1)
        self.assertEqual(self.table.highest_slope([self.mug]), 3.0)
        self.assertEqual(self.table.highest_slope([self.bowl]), 4.0)

    def test_votes_are_read_where_slopes_are_not_known(self) -> None:
        updated, voted = np.zeros(1, dtype=RESULT), np.zeros(2, dtype=RESULT)
        updated["highest_slope"] = 4.0
        voted["most_likely"] = [1, 2]
        self.table.keep_results(np.array([self.bowl]), updated)
        self.table.keep_voted(np.array([self.mug, self.bowl]), voted)
        self.assertIsNone(self.table.results.of(self.mug))
        self.assertEqual(self.table.most_likely(self.bowl)[0], 2)
        self.assertEqual(self.table.highest_slope([self.bowl]), 4.0)

    def test_the_length_of_a_column_needs_no_transfer(self) -> None:
        self.table.append(self.mug, rows(5))
        before = self.stream.moved.from_device
        column = self.table.column(self.mug, "evidence")
        self.assertEqual((len(column), column.shape), (5, (5,)))
        self.assertEqual(self.stream.moved.from_device, before)
        np.testing.assert_array_equal(column + 1.0, np.arange(5) + 1.0)
        np.testing.assert_array_equal(np.where(column > 2)[0], [3, 4])
        self.assertEqual(self.stream.moved.from_device, before + 5 * 8)

    def test_one_row_is_transferred_alone_and_further_rows_as_a_column(self) -> None:
        expected = rows(5)
        self.table.append(self.bowl, rows(3, first=1e3))
        self.table.append(self.mug, expected)
        before = self.stream.moved.from_device
        for row, nbytes in ((3, 9 * 8), (1, 5 * 9 * 8), (1, 5 * 9 * 8)):
            # A new column each time, as learning modules request it.
            poses = self.table.column(self.mug, "poses")
            np.testing.assert_array_equal(poses[row], expected.poses[row])
            self.assertEqual(self.stream.moved.from_device, before + nbytes)
            before += nbytes

    def test_other_keys_index_a_column_like_an_array(self) -> None:
        expected = rows(5).locations
        self.table.append(self.mug, rows(5))
        for key in (-1, True, [2], slice(1, 3), (2, 1)):
            with self.subTest(key=key):
                locations = self.table.column(self.mug, "locations")
                np.testing.assert_array_equal(locations[key], expected[key])
        for key in (5, -6):
            with self.subTest(key=key), self.assertRaises(IndexError):
                self.table.column(self.mug, "locations")[key]

    def test_a_column_without_possible_hypotheses_needs_no_transfer(self) -> None:
        none = HypothesisRows(
            *(getattr(rows(5), name) for name in ("evidence", "locations", "poses")),
            possible=np.zeros(5, dtype=bool),
        )
        self.table.append(self.mug, none)
        before = self.stream.moved.from_device
        possible = self.table.column(self.mug, "possible")
        possible[:] = False
        self.assertFalse(np.any(possible))
        self.assertEqual(self.stream.moved.from_device, before)


if __name__ == "__main__":
    unittest.main()
