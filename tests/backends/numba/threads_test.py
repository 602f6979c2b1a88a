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
import subprocess
import sys
import unittest

import numpy as np

from tbp.monty.backends.numba.compiling import allocating, called, launched
from tbp.monty.backends.numba.threads import for_each


@called
def count(index, counts, weight):
    counts[index] += weight * index


@launched
def count_all(counts, weight):
    for_each(count, len(counts), (counts, weight))


@allocating
def allocate(index, sizes):
    sizes[index] = len(np.empty(sizes[index]))


@launched
def allocate_all(sizes):
    for_each(allocate, len(sizes), (sizes,))


class ForEachTest(unittest.TestCase):
    def test_calls_the_function_once_with_each_number(self) -> None:
        for size in (0, 1, 2, 7, 1000):
            counts = np.zeros(size)
            count_all(counts, 0.5)
            np.testing.assert_array_equal(counts, 0.5 * np.arange(size))

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
        sizes = np.array([1, 2, 2**60, 3])
        with self.assertRaises(MemoryError):
            allocate_all(sizes)
        sizes = np.array([1, 2, 3])
        allocate_all(sizes)
        np.testing.assert_array_equal(sizes, [1, 2, 3])


if __name__ == "__main__":
    unittest.main()
