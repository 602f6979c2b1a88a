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
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np

import tbp.monty
from monty_tools.bench.scenario import make_scenario
from monty_tools.bench.settings import Settings
from monty_tools.bench.worker import WrongBackend, check_backend, main, peak_mib
from monty_tools.ending import Ending

SETTINGS = Settings(lms=2, objects=1, steps=3, nodes=(30, 30))


class WorkerTest(unittest.TestCase):
    """Runs the worker in this process, with the fork that is installed."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scenario = Path(folder.name) / "scenario.npz"
        make_scenario(SETTINGS).save(self.scenario)

    def answers(self, *commands: str, settings: Settings = SETTINGS) -> list[dict]:
        replies, reports = os.pipe()
        orders, asking = os.pipe()
        with os.fdopen(asking, "w") as asked:
            asked.writelines(f"{command}\n" for command in commands)
        with (
            os.fdopen(replies) as lines,
            mock.patch.dict(os.environ, MONTY_BACKEND="reference"),
            contextlib.redirect_stderr(io.StringIO()) as self.stderr,
        ):
            self.status = main(
                [
                    f"--expect-root={Path(tbp.monty.__file__).parents[2]}",
                    f"--settings={json.dumps(settings.as_dict())}",
                    f"--scenario={self.scenario}",
                    f"--reports={reports}",
                    f"--orders={orders}",
                ]
            )
            os.close(reports)
            return [json.loads(line) for line in lines]

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

    def test_votes_are_exchanged(self) -> None:
        silent = self.answers("begin", "trace", "end")
        voting = replace(SETTINGS, votes=3, updater="default")
        heard = self.answers("begin", "trace", "end", settings=voting)
        self.assertEqual(silent[1]["votes"], [0, 0, 0])
        for sent in heard[1]["votes"]:
            self.assertGreaterEqual(sent, 6)  # more if several have the same evidence
        self.assertNotEqual(heard[2]["digest"], silent[2]["digest"])

    def test_votes_are_timed_without_the_steps(self) -> None:
        voting = replace(SETTINGS, votes=5)
        _, ran, timed, _, _, traced = self.answers(
            *("begin", "run", "end"), *("begin", "trace", "end"), settings=voting
        )
        self.assertEqual(len(ran["step_s"]), 3)
        self.assertEqual(timed["digest"], traced["digest"])

    def test_an_episode_is_not_run_twice(self) -> None:
        self.assertEqual(len(self.answers("begin", "run", "run")), 2)
        self.assertEqual(self.status, Ending.UNABLE.status)
        self.assertIn("without having been begun", self.stderr.getvalue())


class BackendUsedTest(unittest.TestCase):
    def test_upstream_has_no_backend(self) -> None:
        check_backend(SimpleNamespace(), None)

    def test_the_requested_backend_is_accepted(self) -> None:
        backend = SimpleNamespace(name="numba", ran_alone=Counter())
        check_backend(SimpleNamespace(backend=backend), "numba")

    def test_another_backend_is_an_error(self) -> None:
        for monty in (
            SimpleNamespace(),
            SimpleNamespace(backend=SimpleNamespace(name="reference")),
        ):
            with self.assertRaisesRegex(WrongBackend, "numba"):
                check_backend(monty, "numba")

    def test_steps_that_bypass_the_backend_are_an_error(self) -> None:
        backend = SimpleNamespace(name="numba", ran_alone=Counter(LM_0=3))
        with self.assertRaisesRegex(WrongBackend, "LM_0"):
            check_backend(SimpleNamespace(backend=backend), "numba")


class PeakTest(unittest.TestCase):
    def test_a_large_array_raises_the_peak_permanently(self) -> None:
        before = peak_mib()
        np.ones((int(before) + 64) * 2**17)
        self.assertGreater(peak_mib(), before + 32)
