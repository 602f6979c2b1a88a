# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`null` and a plan agree with `cuda` on a GPU: `make test-gpu`.

Launches, bytes and the peak of memory of an episode must agree within 5 %. A failure
says which of them differ, and by how much.
"""

from __future__ import annotations

import unittest
from typing import Any

import pytest

from tbp.monty.backends.builtin.cuda import CudaBackend
from tbp.monty.backends.cuda.availability import reason_against
from tbp.monty.backends.cuda.settings import CudaSettings
from tests.backends.counting.agreement_test import counts_of_null
from tests.backends.counting.counted_runs import (
    CONFIGS,
    Counts,
    counts_of_plan,
    counts_of_run,
    differences,
)
from tests.synthetic_monty import SyntheticRun

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(reason_against() is not None, reason=str(reason_against())),
]

LARGE: dict[str, Any] = dict(lms=5, objects=10, nodes=(400, 900))


def counts_on_gpu(run: SyntheticRun) -> list[Counts]:
    from tbp.monty.backends.cuda.gpu import GpuStream  # noqa: PLC0415

    launched: list[str] = []

    class CountingLaunches(GpuStream):
        def launch(
            self, kernel: str, blocks: int, threads: int, *arguments: int
        ) -> None:
            super().launch(kernel, blocks, threads, *arguments)
            launched.extend([kernel] * (blocks > 0))

    settings = CudaSettings.from_environment()
    backend = CudaBackend(lambda _: CountingLaunches(0, settings))
    return counts_of_run(run, backend, lambda: len(launched))


class AgreementOnGpuTest(unittest.TestCase):
    def test_of_three_configs(self) -> None:
        for name, config in CONFIGS.items():
            with self.subTest(name):
                run = config(**LARGE)
                expected = counts_on_gpu(run)
                print(f"\n{name}, on the GPU: {expected}")
                self.assertEqual(differences(counts_of_null(run), expected), [], "null")
                self.assertEqual(differences(counts_of_plan(run), expected), [], "plan")


if __name__ == "__main__":
    unittest.main()
