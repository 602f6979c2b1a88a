# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The cost of dividing `_step_learning_modules`, with learning modules that do nothing.

One group per number of learning modules, with a row for upstream and one for the fork.
The numbers in parentheses are ratios to the faster one.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.sides import SIDES, BenchmarkedSide

SCRIPT = Path(__file__).with_name("step_learning_modules.py")
STEPS = 500


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("count", [1, 5, 50])
def test_500_steps(benchmark: BenchmarkFixture, count: int, side: str) -> None:
    benchmark.group = f"{STEPS} steps of {count} idle learning modules"
    benchmarked = BenchmarkedSide(side, SCRIPT, str(count))
    try:
        benchmark.pedantic(
            benchmarked.run, args=(STEPS,), rounds=30, warmup_rounds=5, iterations=1
        )
    finally:
        benchmarked.close()
