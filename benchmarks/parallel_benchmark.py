# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The wall time of 12 short episodes: upstream's `run_parallel` and ours, side by side.

Both have two processes for episodes, and everything counts: the start of the command,
imports, joining of files. Episodes are short, so that the runner is measured.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time

from tests.tools.parallel.runners import our_command, upstream_command
from tests.tools.parallel.short_episodes import SHORT

WORDS = (*SHORT, "experiment.config.n_eval_epochs=6")
ROUNDS = 3
LEAST_RATIO = 3.0


def test_takes_a_third_of_upstreams_time() -> None:
    seconds: dict[str, list[float]] = {"upstream": [], "fork": []}
    for _ in range(ROUNDS):
        for side, times in seconds.items():
            times.append(_seconds(side))
    medians = {side: statistics.median(times) for side, times in seconds.items()}
    ratio = medians["upstream"] / medians["fork"]
    print(f"\n12 episodes, two workers: {medians} seconds, {ratio:.1f} times faster")
    assert ratio >= LEAST_RATIO, seconds


def _seconds(side: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        if side == "upstream":
            words = (*WORDS, "num_parallel=2")
            command, env = upstream_command(words, folder, "run_parallel")
        else:
            command, env = our_command((*WORDS, "--workers=2"), folder)
        begin = time.perf_counter()
        subprocess.run(command, env=env, check=True, capture_output=True)
        return time.perf_counter() - begin
