# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The benchmark of the kernels runs its episode; here without a GPU or kernels."""

from __future__ import annotations

import unittest
from collections import Counter

from benchmarks.gpu_update_benchmark import REPEATABLE, Size, run_episode
from tbp.monty.backends.counting.engine import CountingEngine
from tbp.monty.backends.counting.stream import CountingStream


class SteppedStream(CountingStream):
    """Starts counting anew after the first step, which adds hypotheses."""

    steps = 0

    def next_step(self) -> None:
        if not self.steps:
            self.launched.clear()
        self.steps += 1


class EpisodeTest(unittest.TestCase):
    def test_every_timed_kernel_is_launched_once_per_step(self) -> None:
        stream = SteppedStream()
        size = Size(lms=2, objects=1, runs=1, steps=3)
        self.assertGreater(run_episode(CountingEngine(stream), stream, size), 0)
        self.assertEqual(stream.steps, 2)
        launched = Counter({name: stream.launched[name] for name in REPEATABLE})
        self.assertEqual(launched, Counter(dict.fromkeys(REPEATABLE, 2)))


if __name__ == "__main__":
    unittest.main()
