# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What an update of one hypothesis takes with `numba`, however many there are.

Only the kernels are timed. A quarter may lie between the slowest and the fastest size;
memory is what the table takes for a hypothesis, with a window and room to grow.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import pytest

from monty_tools.bench.scenario import make_scenario
from monty_tools.bench.settings import Settings
from monty_tools.bench.system import System
from tbp.monty import backends
from tbp.monty.backends import numba_kernel
from tbp.monty.backends.burst_sampling import WINDOW_SIZE
from tbp.monty.backends.tables import HypothesisTable, SegmentKey

SIZES = ((1, 3), (1, 28), (5, 28), (5, 111))
"""Learning modules and objects: from 10 000 to 2 000 000 hypotheses."""

STEPS = 6
ROUNDS = 5
MOST_SPREAD = 1.25
MOST_BYTES = 250


class TimedKernels:
    """The kernels, and how long each update took."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.hypotheses = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(numba_kernel, name)

    def update(self, table: HypothesisTable, graphs, work, scores):
        start = time.perf_counter()
        result = numba_kernel.update(table, graphs, work, scores)
        self.hypotheses = int(table.counts.sum())
        if self.hypotheses:
            self.seconds.append(time.perf_counter() - start)
        return result


def test_time_of_a_hypothesis_does_not_depend_on_their_number(monkeypatch) -> None:
    monkeypatch.setenv("MONTY_BACKEND", "numba")
    nanoseconds = {}
    for lms, objects in SIZES:
        kernels = TimedKernels()
        monkeypatch.setattr(backends, "numba_kernel", kernels)
        _run_episodes(Settings(lms, objects, "default", STEPS))
        # The same steps of each episode; the first of them compiles.
        per_step = [
            statistics.median(kernels.seconds[step :: STEPS - 1][1:])
            for step in range(STEPS - 1)
        ]
        hypotheses = kernels.hypotheses
        nanoseconds[hypotheses] = sum(per_step) / len(per_step) / hypotheses * 1e9
        print(f"{hypotheses:>9} hypotheses: {nanoseconds[hypotheses]:.0f} ns each")
    spread = max(nanoseconds.values()) / min(nanoseconds.values())
    print(f"the slowest takes {spread:.2f} times what the fastest does")
    assert spread <= MOST_SPREAD


@pytest.mark.parametrize("window", [0, WINDOW_SIZE])
def test_memory_of_a_hypothesis(window: int) -> None:
    table = HypothesisTable(window)
    segments = [table.index(SegmentKey("LM_0", f"object {i}")) for i in range(50)]
    for count in (3600, 4000):  # each is outgrown once
        table.reserve(dict.fromkeys(segments, count))
    count = 4000 * len(segments)
    # What lies behind the last segment was never written to, and takes no place.
    taken = int(table.starts.max() + 4000 * 1.125) * table.bytes_per_row
    print(f"{taken / count:.0f} bytes a hypothesis, with a window of {window}")
    assert taken / count <= MOST_BYTES


def _run_episodes(settings: Settings) -> None:
    system = System(settings, make_scenario(settings))
    for _ in range(ROUNDS):
        system.reset()
        for inputs in system.inputs():
            system.monty.sensor_module_outputs = inputs
            system.monty._step_learning_modules(system.context)
    system.monty.backend.close()
