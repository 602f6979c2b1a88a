# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A worker takes no more memory after many episodes than after a few."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path

import pytest

from tests.tools.parallel.runners import our_command
from tests.tools.parallel.short_episodes import LEARNING, RECOGNISING

EPISODES = 200
EARLY = 20
SPAN = 10
MOST_GROWTH = 1.1


def resident_bytes(process: Path) -> int:
    return int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def workers_below(pid: int) -> list[Path]:
    """Return the workers that a process started, as folders of /proc."""
    parents, names = {}, {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (process / "stat").read_text().rpartition(")")
        except OSError:
            continue  # it has ended
        parents[int(process.name)] = int(rest.split()[1])
        names[int(process.name)] = name
    found = []
    for one, name in names.items():
        above = one
        while above and above != pid:
            above = parents.get(above, 0)
        if above == pid and "ray::Worker" in name:
            found.append(Path("/proc", str(one)))
    return found


@pytest.mark.thorough
class MemoryTest(unittest.TestCase):
    def test_does_not_grow_with_the_number_of_episodes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            command, env = our_command(LEARNING, folder)
            subprocess.run(command, env=env, check=True)
            [model] = Path(folder).rglob("model.pt")
            words = (
                *RECOGNISING,
                f"experiment.config.model_name_or_path={model}",
                f"experiment.config.n_eval_epochs={EPISODES}",
                "experiment.config.logging.run_name=many",
                *("--workers=1", "--backend=numba"),
            )
            command, env = our_command(words, folder)
            run = subprocess.Popen(command, env=env)
            self.addCleanup(run.kill)
            largest: Counter[int] = Counter()
            while run.poll() is None:
                kept = len(list(Path(folder).glob("*/*/many/.episodes/eval/*")))
                for worker in workers_below(run.pid):
                    largest[kept] = max(largest[kept], resident_bytes(worker))
                time.sleep(0.1)
            self.assertEqual(run.returncode, 0)
            # Memory goes up and down within an episode, so several are looked at.
            early = max(largest[n] for n in range(EARLY - SPAN, EARLY))
            late = max(largest[n] for n in range(EPISODES - SPAN, EPISODES))
            self.assertGreater(late, 0)
            self.assertLessEqual(late / early, MOST_GROWTH)
