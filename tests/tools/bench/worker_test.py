# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from monty_tools.bench.scenario import make_scenario
from monty_tools.bench.settings import Settings
from monty_tools.bench.worker import main

SETTINGS = Settings(lms=2, objects=1, steps=3, nodes=(30, 30))


class WorkerTest(unittest.TestCase):
    """Runs the worker in this process, with the fork that is installed."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scenario = Path(folder.name) / "scenario.npz"
        make_scenario(SETTINGS).save(self.scenario)

    def answers(self, *commands: str) -> list[dict]:
        reading, writing = os.pipe()
        with (
            os.fdopen(reading) as replies,
            mock.patch.dict(os.environ, MONTY_BACKEND="reference"),
            mock.patch("sys.stdin", io.StringIO("".join(f"{c}\n" for c in commands))),
            contextlib.redirect_stderr(io.StringIO()) as self.stderr,
        ):
            main(
                [
                    f"--settings={json.dumps(SETTINGS.as_dict())}",
                    f"--scenario={self.scenario}",
                    f"--replies={writing}",
                ]
            )
            return [json.loads(line) for line in replies]

    def test_it_says_what_it_runs(self) -> None:
        [found] = self.answers("describe")
        self.assertTrue(found["has_backends"])
        self.assertIn("+backends.", found["version"])

    def test_every_step_is_timed(self) -> None:
        _, ran, ended = self.answers("begin", "run", "end")
        self.assertEqual(len(ran["step_s"]), 3)
        self.assertGreater(min(ran["step_s"]), 0)
        self.assertGreater(ran["cpu_s"], 0)
        self.assertEqual(len(ended["beliefs"]), 2)

    def test_tracing_leads_to_the_same_end(self) -> None:
        _, _, timed, _, traced, end = self.answers(
            *("begin", "run", "end"), *("begin", "trace", "end")
        )
        self.assertEqual(end["digest"], timed["digest"])
        self.assertEqual(traced["trace"][-1], end["beliefs"])

    def test_an_episode_is_not_run_twice(self) -> None:
        *_, last = self.answers("begin", "run", "run")
        self.assertIn("without having been begun", last["error"])
        self.assertIn("Traceback", self.stderr.getvalue())
