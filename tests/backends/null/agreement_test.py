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
from tests.backends.cuda.host_device import HostStream
from tests.backends.null.counted_runs import (
    CONFIGS,
    Counts,
    counts_of_plan,
    counts_of_run,
    differences,
)
from tests.synthetic_monty import SyntheticRun

SMALL: dict[str, Any] = dict(lms=2, objects=2, nodes=(8, 10))
"""The kernels are slow on a CPU."""


def counts_on_host(run: SyntheticRun) -> list[Counts]:
    return counts_of_run(run, CudaBackend(lambda _: HostStream()))


class AgreementTest(unittest.TestCase):
    def test_of_three_configs(self) -> None:
        for name, config in CONFIGS.items():
            with self.subTest(name):
                run = config(**SMALL)
                found = counts_of_run(run, NullBackend())
                self.assertEqual(found, counts_on_host(run))
                # What is sensed may have no direction: then other numbers of
                # hypotheses are sampled.
                run = config(lms=2, objects=2, nodes=(60, 80))
                found = counts_of_run(run, NullBackend())
                self.assertEqual(differences(counts_of_plan(run), found), [])

    def test_of_null_and_a_plan_where_learning_modules_vote(self) -> None:
        run = SyntheticRun(lms=3, objects=2, nodes=(60, 80), steps=3)
        # From the second step on: before, a plan has not added its votes yet.
        planned, found = counts_of_plan(run)[1:], counts_of_run(run, NullBackend())[1:]
        self.assertEqual(differences(planned, found), [])


if __name__ == "__main__":
    unittest.main()
