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
from tbp.monty.backends.null.engine import NullEngine, NullStream


class SteppedStream(NullStream):
    """Counts launches after the first step, which adds hypotheses."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0
        self.launched: Counter[str] = Counter()

    def next_step(self) -> None:
        self.steps += 1

    def launch(self, kernel: str, blocks: int, *_: int) -> None:
        self.launched[kernel] += self.steps > 0 and blocks > 0


class EpisodeTest(unittest.TestCase):
    def test_every_timed_kernel_is_launched_once_per_step(self) -> None:
        stream = SteppedStream()
        size = Size(lms=2, objects=1, runs=1, steps=3)
        self.assertGreater(run_episode(NullEngine(stream), stream, size), 0)
        self.assertEqual(stream.steps, 2)
        launched = Counter({name: stream.launched[name] for name in REPEATABLE})
        self.assertEqual(launched, Counter(dict.fromkeys(REPEATABLE, 2)))


if __name__ == "__main__":
    unittest.main()
