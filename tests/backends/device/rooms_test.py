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

from tbp.monty.backends.device.constants import UPDATE_THREADS
from tbp.monty.backends.device.counting import CountingStream
from tbp.monty.backends.device.rooms import MOST_EMPTY, Rooms
from tbp.monty.backends.device.stream import fetched
from tests.backends.cuda.host_device import HostStream


class SendOnceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.stream = CountingStream(HostStream())
        self.rooms = Rooms(self.stream)
        self.arrays = {"ones": np.ones(3), "counts": np.array([4, 5])}

    def send(self, revision: int = 0, **changed: np.ndarray) -> dict[str, list]:
        """Send the arrays, and return what is on the device."""
        arrays = {**self.arrays, **changed}
        arrays["sum"] = arrays["ones"].sum(keepdims=True)
        sent = self.rooms.send_once("settings", revision, lambda: arrays)
        dtypes = {"ones": np.float64, "counts": np.int64, "sum": np.float64}
        sizes = {"ones": 3, "counts": 2, "sum": 1}
        return {
            name: fetched(
                self.stream, sent[name], (1, sizes[name]), np.dtype(dtypes[name])
            )[0].tolist()
            for name in sizes
        }

    def test_arrays_of_one_revision_are_sent_once(self) -> None:
        expected = {"ones": [1.0, 1.0, 1.0], "counts": [4, 5], "sum": [3.0]}
        self.assertEqual(self.send(), expected)
        moved = self.stream.moved.to_device
        self.assertEqual(self.send(), expected)
        self.assertEqual(self.stream.moved.to_device, moved)

    def test_all_are_sent_again_if_the_revision_changes(self) -> None:
        self.send()
        expected = {"ones": [2.0, 2.0, 2.0], "counts": [4, 5], "sum": [6.0]}
        self.assertEqual(self.send(1, ones=np.full(3, 2.0)), expected)
        self.assertEqual(self.send()["sum"], [3.0])

    def test_they_are_sent_again_after_all_was_freed(self) -> None:
        expected = self.send()
        self.rooms.clear()
        moved = self.stream.moved.to_device
        self.assertEqual(self.send(), expected)
        self.assertGreater(self.stream.moved.to_device, moved)

    def test_nothing_is_left_of_arrays_for_which_memory_ran_out(self) -> None:
        self.send()
        moved = self.stream.moved.to_device
        no_memory = patch.object(self.rooms, "send", side_effect=MemoryError)
        with no_memory, self.assertRaises(MemoryError):
            self.send(1, ones=np.full(3, 2.0))
        self.assertEqual(self.send()["sum"], [3.0])
        self.assertGreater(self.stream.moved.to_device, moved)


class MadeTest(unittest.TestCase):
    def setUp(self) -> None:
        self.rooms = Rooms(HostStream())
        self.count = 0

    def address(self, nbytes: int) -> int:
        """Return the address of a room, and count how often it is asked for."""

        def make() -> int:
            self.count += 1
            return self.rooms.room("scores", nbytes)

        return self.rooms.made("work", nbytes, make)

    def test_is_made_once(self) -> None:
        self.assertEqual(self.address(100), self.address(100))
        self.assertEqual(self.count, 1)

    def test_is_made_again_for_another_key(self) -> None:
        self.address(100)
        self.address(200)
        self.assertEqual(self.count, 2)

    def test_is_made_again_if_a_room_has_moved(self) -> None:
        self.address(100)
        moved = self.rooms.room("scores", 100_000)
        self.assertEqual(self.address(100), moved)

    def test_is_made_again_after_all_was_freed(self) -> None:
        self.address(100)
        self.rooms.clear()
        self.address(100)
        self.assertEqual(self.count, 2)


class DivideTest(unittest.TestCase):
    def setUp(self) -> None:
        self.stream = CountingStream(HostStream())
        self.rooms = Rooms(self.stream)
        self.few = np.array([UPDATE_THREADS, 2 * UPDATE_THREADS])

    def owners(self, counts: np.ndarray, *, exactly: bool = True) -> list[int]:
        blocks = self.rooms.divide("rows", counts, exactly=exactly)
        shape, dtype = (1, blocks.count), np.dtype(np.int64)
        return fetched(self.stream, blocks.owners, shape, dtype)[0].tolist()

    def test_the_same_counts_are_divided_once(self) -> None:
        for _ in range(2):
            self.assertEqual(self.owners(self.few), [0, 1, 1])
        self.assertEqual(self.stream.launched, {"divide": 1})

    def test_fewer_rows_are_divided_again_only_if_each_block_must_have_some(
        self,
    ) -> None:
        self.owners(self.few)
        fewer = self.few - UPDATE_THREADS
        self.assertEqual(self.owners(fewer, exactly=False), [0, 1, 1])
        self.assertEqual(self.stream.launched, {"divide": 1})
        self.assertEqual(self.owners(self.few, exactly=False), [0, 1, 1])
        self.assertEqual(self.stream.launched, {"divide": 1})
        self.assertEqual(self.owners(fewer + 0), [1])

    def test_rows_are_divided_again_if_an_owner_has_more(self) -> None:
        self.owners(self.few)
        others = self.few[::-1].copy()
        self.assertEqual(self.owners(others, exactly=False), [0, 0, 1])

    def test_rows_are_divided_again_for_other_owners(self) -> None:
        self.owners(self.few)
        self.assertEqual(self.owners(self.few[:1], exactly=False), [0])

    def test_rows_are_divided_again_if_many_blocks_would_have_none(self) -> None:
        for all_blocks, enough, too_few in (
            (MOST_EMPTY + 1, 1, 0),
            (9_000, 8_000, 7_999),
        ):
            with self.subTest(all_blocks=all_blocks):
                self.owners(np.array([all_blocks * UPDATE_THREADS]))
                for blocks, expected in ((enough, all_blocks), (too_few, too_few)):
                    rows = np.array([blocks * UPDATE_THREADS])
                    self.assertEqual(len(self.owners(rows, exactly=False)), expected)

    def test_nothing_is_left_of_a_division_for_which_memory_ran_out(self) -> None:
        self.owners(self.few)
        no_memory = patch.object(self.stream, "allocate", side_effect=MemoryError)
        with no_memory, self.assertRaises(MemoryError):
            self.rooms.divide("rows", self.few * 100_000)
        self.assertEqual(self.owners(self.few), [0, 1, 1])


if __name__ == "__main__":
    unittest.main()
