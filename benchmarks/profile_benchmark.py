# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What `monty run --profile` costs: whole runs of a recording, with and without it.

Both run in turns, in this process. The recording of a real run is named in the variable
PROFILED_RECORDING; without it a small run of five learning modules is recorded.
`pytest -s` prints the ratio.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from monty_tools.bench.real_run import Recorded, read_recorded
from monty_tools.profile.recorder import Recorder
from monty_tools.recording.config import compose
from monty_tools.recording.counter import Counter, LimitReached
from monty_tools.recording.environment import ReplayEnvironment
from monty_tools.recording.episodes import choose_episodes
from monty_tools.recording.fed import ACTION_TOLERANCE, make_fed
from monty_tools.recording.file import Recording
from monty_tools.refactor.fork import make_fork
from monty_tools.workers.control import Job, run_jobs
from monty_tools.workers.sides import Paths, Run, fork_side
from tests.fork.parity import actions_from

BACKEND = os.environ.get("PROFILED_BACKEND", "numba")
ROUNDS = 25
MOST = 1.02

SMALL = Run(
    "test/evidence_lm/five_lm_mujoco",
    (actions_from("actions.jsonl"), "experiment.config.n_train_epochs=1"),
    shadows=False,
)


@pytest.fixture(scope="module")
def recorded() -> Iterator[Recorded]:
    named = os.environ.get("PROFILED_RECORDING")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(named or f"{folder}/small.rec.zip")
        if named is None:
            side = fork_side(Paths(None, make_fork(), None), None)
            run_jobs([Job(side, SMALL, path)])
        yield read_recorded(path, trusted=True)


def test_a_profile_costs_less_than_2_percent(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MONTY_BACKEND", BACKEND)
    run_s(recorded)  # compiles kernels
    pairs = []
    for i in range(ROUNDS):
        # In turns, and each of them first as often as the other.
        order = (False, True) if i % 2 else (True, False)
        seconds = {profiled: run_s(recorded, profiled=profiled) for profiled in order}
        pairs.append((seconds[False], seconds[True]))
    ratios = sorted(profiled / plain for plain, profiled in pairs)
    low, ratio, high = statistics.quantiles(ratios, n=4)
    plain = statistics.median(plain for plain, _ in pairs)
    print(
        f"\n{recorded.run.experiment}, {BACKEND}: {recorded.end['steps']} steps take "
        f"{plain:.3f} s; with --profile {ratio:.4f} times that, {low:.4f} to "
        f"{high:.4f}"
    )
    assert ratio < MOST


def run_s(recorded: Recorded, *, profiled: bool = False) -> float:
    """Return the seconds of a run, without setting it up."""
    instantiate = importlib.import_module("tbp.monty.hydra").instantiate_experiment
    with contextlib.ExitStack() as stack:
        output = stack.enter_context(tempfile.TemporaryDirectory())
        recording = stack.enter_context(Recording(recorded.path))
        cfg: Any = compose(recorded.run.experiment, recorded.run.overrides)
        cfg.experiment.config.logging.output_dir = f"{output}/logs"
        cfg.experiment.config.logging.python_log_to_stderr = False
        replay = ReplayEnvironment(recording, tolerance=ACTION_TOLERANCE)
        experiment = make_fed(instantiate, cfg.experiment, replay)
        limits = recording.manifest["limits"]
        Counter(steps=limits["steps"]).attach(experiment)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        recorder = Recorder(folder, [], experiment) if profiled else None
        with experiment, _little_garbage():
            choose_episodes(experiment, limits["episodes"])
            began = time.perf_counter()
            with contextlib.suppress(LimitReached):
                experiment.run()
            if recorder is not None:
                recorder.close()  # writes the rest
            return time.perf_counter() - began


@contextlib.contextmanager
def _little_garbage() -> Iterator[None]:
    """Keeps Python from looking for garbage of earlier runs, which takes 0.5 s."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
