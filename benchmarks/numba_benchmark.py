# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The time and memory per hypothesis with `numba`, for any number of hypotheses.

Only the kernels are timed. The slowest size may take 25% longer than the fastest.
Memory is the size of the table per hypothesis, with a window and room to grow.
The time to compile is the processor time of a first use, less that of a second one.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from monty_tools.bench.scenario import make_scenario
from monty_tools.bench.settings import Settings
from monty_tools.bench.system import System
from tbp.monty import backends
from tbp.monty.backends import numba as numba_kernels
from tbp.monty.backends.numpy.slopes import WINDOW_SIZE
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.kernel_work import UpdateResult
from tbp.monty.backends.tables.segments import SegmentKey

OBJECTS = 3
"""The same for each number of hypotheses, so that only their number changes."""

LMS = (1, 10, 50, 190)
"""From 10 000 to 2 000 000 hypotheses."""

STEPS = 6
ROUNDS = 9
MOST_SPREAD = 1.25
MOST_BYTES = 250
MOST_SECONDS_TO_COMPILE = 15


class TimedKernels:
    """The kernels, and how long each update of an episode took."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.hypotheses = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(numba_kernels, name)

    def update(self, table: HypothesisTable, *arguments: Any) -> UpdateResult:
        start = time.perf_counter()
        result = numba_kernels.update(table, *arguments)
        self.hypotheses = int(table.counts.sum())
        if self.hypotheses:
            self.seconds.append(time.perf_counter() - start)
        return result

    def take(self) -> list[float]:
        seconds, self.seconds = self.seconds, []
        return seconds


def test_time_per_hypothesis_does_not_depend_on_their_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MONTY_BACKEND", "numba")
    kernels = TimedKernels()
    monkeypatch.setattr(backends, "numba", kernels)
    systems = [_make_system(Settings(lms, OBJECTS, "default", STEPS)) for lms in LMS]
    rounds: dict[int, list[list[float]]] = {}
    # In turns, so that other load on the machine slows down all of them.
    for _ in range(1 + ROUNDS):
        for system in systems:
            _run_episode(system)
            rounds.setdefault(kernels.hypotheses, []).append(kernels.take())
    for system in systems:
        system.monty.backend.close()
    nanoseconds = {}
    for hypotheses, episodes in rounds.items():
        # The first episode compiles.
        steps = zip(*episodes[1:], strict=True)
        medians = [statistics.median(seconds) / hypotheses * 1e9 for seconds in steps]
        nanoseconds[hypotheses] = statistics.mean(medians)
        print(f"{hypotheses:>9} hypotheses: {nanoseconds[hypotheses]:.0f} ns each")
    spread = max(nanoseconds.values()) / min(nanoseconds.values())
    print(f"the slowest takes {spread:.2f} times what the fastest does")
    assert spread <= MOST_SPREAD


@pytest.mark.parametrize("window", [0, WINDOW_SIZE])
def test_memory_per_hypothesis(window: int) -> None:
    table = HypothesisTable(window)
    segments = [table.index(SegmentKey("LM_0", f"object {i}")) for i in range(50)]
    for count in (3600, 4000):  # each segment grows once
        table.reserve(segments, [count] * len(segments))
    count = 4000 * len(segments)
    # Memory behind the last segment was never written to, so it is not resident.
    row_bytes = sum(one.nbytes for one in table.held()) / table.capacity
    taken = int(table.starts.max() + 4000 * 1.125) * row_bytes
    print(f"{taken / count:.0f} bytes a hypothesis, with a window of {window}")
    assert taken / count <= MOST_BYTES


def test_time_to_compile(tmp_path: Path) -> None:
    first, second = _seconds_of_an_episode(tmp_path), _seconds_of_an_episode(tmp_path)
    print(f"kernels take {first - second:.1f} s to compile")
    assert first - second <= MOST_SECONDS_TO_COMPILE


def _seconds_of_an_episode(cache: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    options = "--lms 1 --objects 1 --rounds 1 --baseline numba --proposed numba"
    subprocess.run(
        [sys.executable, "-m", "tbp.monty.cli", "bench", "lm-phase", *options.split()],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def _make_system(settings: Settings) -> System:
    return System(settings, make_scenario(settings))


def _run_episode(system: System) -> None:
    system.reset()
    for inputs in system.inputs():
        system.monty.sensor_module_outputs = [*inputs]
        system.monty._step_learning_modules(system.context)
