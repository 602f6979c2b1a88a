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
from tbp.monty.backends.builtin.null import NullBackend
from tbp.monty.backends.cuda.availability import reason_against
from tests.backends.null.counted_runs import (
    CONFIGS,
    counts_of_plan,
    counts_of_run,
    differences,
)

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(reason_against() is not None, reason=str(reason_against())),
]

LARGE: dict[str, Any] = dict(lms=5, objects=10, nodes=(400, 900))


class AgreementOnGpuTest(unittest.TestCase):
    def test_of_three_configs(self) -> None:
        for name, config in CONFIGS.items():
            with self.subTest(name):
                run = config(**LARGE)
                expected = counts_of_run(run, CudaBackend())
                print(f"\n{name}, on the GPU: {expected}")
                found = counts_of_run(run, NullBackend())
                self.assertEqual(differences(found, expected), [], "null")
                self.assertEqual(differences(counts_of_plan(run), expected), [], "plan")


if __name__ == "__main__":
    unittest.main()
