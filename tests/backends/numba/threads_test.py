# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import itertools
import os
import subprocess
import sys
import unittest

import numba
import numpy as np

from tbp.monty.backends.numba.compiling import allocating, called, launched
from tbp.monty.backends.numba.threads import for_each

SHORT, LONG = 0, 10**9


@called
def count(index, counts, weight):
    counts[index] += weight * index


@launched
def count_all(counts, weight, duration):
    for_each(count, len(counts), (counts, weight), duration)


@called
def note_thread(index, threads):
    threads[index] = numba.get_thread_id()


@launched
def note_threads(threads, duration):
    for_each(note_thread, len(threads), (threads,), duration)


@allocating
def allocate(index, sizes):
    sizes[index] = len(np.empty(sizes[index]))


@launched
def allocate_all(sizes, duration):
    for_each(allocate, len(sizes), (sizes,), duration)


class ForEachTest(unittest.TestCase):
    def test_calls_the_function_once_with_each_number(self) -> None:
        for size, duration in itertools.product((0, 1, 2, 7, 1000), (SHORT, LONG)):
            counts = np.zeros(size)
            count_all(counts, 0.5, duration)
            np.testing.assert_array_equal(counts, 0.5 * np.arange(size))

    @unittest.skipUnless(numba.get_num_threads() > 1, "one core")
    def test_only_a_long_loop_runs_in_threads(self) -> None:
        used = {}
        for duration in (SHORT, LONG):
            threads = np.full(1000, -1)
            note_threads(threads, duration)
            used[duration] = set(threads.tolist())
        self.assertEqual(used[SHORT], {0})
        self.assertGreater(len(used[LONG]), 1)

    def test_with_the_thread_pool_that_hands_out_many_numbers_at_once(self) -> None:
        test = "ForEachTest.test_calls_the_function_once_with_each_number"
        for threads in ("1", "3"):
            subprocess.run(
                [sys.executable, "-m", "unittest", f"{__name__}.{test}"],
                env={
                    **os.environ,
                    "NUMBA_THREADING_LAYER": "workqueue",
                    "NUMBA_NUM_THREADS": threads,
                },
                check=True,
                capture_output=True,
            )

    def test_an_error_in_a_thread_is_raised(self) -> None:
        for duration in (SHORT, LONG):
            sizes = np.array([1, 2, 2**60, 3])
            with self.assertRaises(MemoryError):
                allocate_all(sizes, duration)
            sizes = np.array([1, 2, 3])
            allocate_all(sizes, duration)
            np.testing.assert_array_equal(sizes, [1, 2, 3])


if __name__ == "__main__":
    unittest.main()
