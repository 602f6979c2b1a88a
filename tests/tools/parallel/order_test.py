# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How many workers there is room for."""

from __future__ import annotations

import unittest

from monty_tools.guard import Failed
from monty_tools.parallel.asked import ParallelRun
from monty_tools.parallel.order import most_workers


class MostWorkersTest(unittest.TestCase):
    def test_has_one_worker_per_processor(self) -> None:
        self.assertEqual(most_workers(ParallelRun("any"), {"CPU": 3.0}), 3)

    def test_has_no_more_workers_than_fit_on_the_gpus(self) -> None:
        free = {"CPU": 16.0, "GPU": 2.0}
        for share, expected in ((None, 16), (0.5, 4), (1 / 3, 6), (0.01, 16), (2, 1)):
            run = ParallelRun("any", gpus_per_worker=share)
            with self.subTest(share=share):
                self.assertEqual(most_workers(run, free), expected)

    def test_says_what_there_is_too_little_of(self) -> None:
        run = ParallelRun("any", gpus_per_worker=0.5)
        for free, says in (
            ({"GPU": 1.0}, "no free processor"),
            ({"CPU": 4.0}, "--gpus-per-worker 0.5: the Ray at local has 0 free GPUs"),
        ):
            with self.subTest(free=free), self.assertRaisesRegex(Failed, says):
                most_workers(run, free)
