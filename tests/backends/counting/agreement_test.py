# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`null`, a plan and `cuda` agree on what a GPU is asked for.

The kernels of `cuda` run on the CPU here; everything else runs as it does with a GPU.
"""

from __future__ import annotations

import unittest
from typing import Any

from tbp.monty.backends.builtin.cuda import CudaBackend
from tbp.monty.backends.builtin.null import NullBackend
from tbp.monty.backends.counting.pool import CountingPool
from tests.backends.counting.counted_runs import (
    CONFIGS,
    Counts,
    counts_of_plan,
    counts_of_run,
    differences,
)
from tests.backends.cuda.host_device import HostMemory, HostStream
from tests.synthetic_monty import SyntheticRun

SMALL: dict[str, Any] = dict(lms=2, objects=2, nodes=(8, 10))
"""The kernels are slow on a CPU."""


class PooledStream(HostStream):
    """Takes its memory from a pool, as a GPU's stream does."""

    def __init__(self) -> None:
        super().__init__()
        self.peak = 0
        self._pool = CountingPool()

    def allocate(self, nbytes: int, what: str) -> HostMemory:
        memory = super().allocate(nbytes, what)
        memory.in_pool = self._pool.allocate(nbytes)
        self.peak = max(self.peak, self._pool.total)
        return memory


def counts_on_host(run: SyntheticRun) -> list[Counts]:
    streams: list[PooledStream] = []

    def open_stream(_: int) -> PooledStream:
        streams.append(PooledStream())
        return streams[-1]

    return counts_of_run(
        run,
        CudaBackend(open_stream),
        lambda: sum(len(stream.launched) for stream in streams),
    )


def counts_of_null(run: SyntheticRun) -> list[Counts]:
    backend = NullBackend()
    return counts_of_run(
        run,
        backend,
        lambda: sum(sum(stream.launched.values()) for stream in backend.streams),
    )


class AgreementTest(unittest.TestCase):
    def test_of_three_configs(self) -> None:
        for name, config in CONFIGS.items():
            with self.subTest(name):
                run = config(**SMALL)
                expected = counts_on_host(run)
                self.assertEqual(counts_of_null(run), expected)
                # What is sensed may have no direction: then other numbers of
                # hypotheses are sampled.
                self.assertEqual(differences(counts_of_plan(run), expected), [])

    def test_of_null_and_a_plan_where_learning_modules_vote(self) -> None:
        run = SyntheticRun(lms=3, objects=2, nodes=(60, 80), steps=3)
        # From the second step on: before, a plan has not added its votes yet.
        planned, found = counts_of_plan(run)[1:], counts_of_null(run)[1:]
        self.assertEqual(differences(planned, found), [])


if __name__ == "__main__":
    unittest.main()
