# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The wall time of short episodes: upstream's `run_parallel` and ours, side by side.

Both have two processes for episodes, and everything counts: the start of the command,
imports, joining of files. Episodes are short, and their images simple, so that the
runner is measured.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from tests.tools.parallel.runners import our_command, upstream_command
from tests.tools.parallel.short_episodes import SHORT

EPISODES = (12, 36)
SIMULATOR = "${monty.class:benchmarks.quick_rendering.QuickSimulator}"
ROUNDS = 3


@pytest.mark.parametrize("episodes", EPISODES)
def test_short_episodes(episodes: int) -> None:
    ratios = []
    seconds: dict[str, list[float]] = {"upstream": [], "fork": []}
    for _ in range(ROUNDS):
        for side, times in seconds.items():
            times.append(_seconds(side, episodes))
        ratios.append(seconds["upstream"][-1] / seconds["fork"][-1])
    medians = {side: statistics.median(times) for side, times in seconds.items()}
    print(
        f"\n{episodes} episodes, two workers: upstream {medians['upstream']:.1f} s, "
        f"fork {medians['fork']:.1f} s, ratio {statistics.median(ratios):.2f} "
        f"({min(ratios):.2f} to {max(ratios):.2f})"
    )


def _seconds(side: str, episodes: int) -> float:
    # Two objects, so two episodes in each epoch.
    words = [
        *SHORT,
        f"experiment.config.n_eval_epochs={episodes // 2}",
        f"experiment.config.environment.env_init_func={SIMULATOR}",
    ]
    with tempfile.TemporaryDirectory() as folder:
        if side == "upstream":
            words.append("num_parallel=2")
            command, env = upstream_command(words, folder)
        else:
            command, env = our_command([*words, "--workers=2"], folder)
        # Where both sides find the simulator.
        roots = (env.get("PYTHONPATH"), str(Path(__file__).parents[1]))
        env["PYTHONPATH"] = os.pathsep.join(filter(None, roots))
        begin = time.perf_counter()
        subprocess.run(command, env=env, check=True, capture_output=True)
        return time.perf_counter() - begin
