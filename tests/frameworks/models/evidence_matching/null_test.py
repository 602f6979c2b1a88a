# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A Monty can be run with a backend that computes nothing."""

from __future__ import annotations

import unittest

import numpy as np

from tests.synthetic_monty import SyntheticRun

BURST = 5
"""The steps on which burst sampling adds hypotheses."""


class NullTest(unittest.TestCase):
    def test_episodes_run_and_hypotheses_stay_after_the_first_burst(self) -> None:
        for updater in ("default", "burst_sampling"):
            with self.subTest(updater):
                run = SyntheticRun(updater, steps=10)
                monty = run.make("null")
                for _ in range(2):
                    self.assert_runs(run, monty)
                summary = monty.backend.summary()
                monty.close()
                self.assertIn("nothing was computed", summary)
                self.assertIn("20 launches", summary)

    def assert_runs(self, run: SyntheticRun, monty) -> None:
        context = run.begin(monty)
        lm = monty.learning_modules[0]
        for step in range(BURST):
            run.step(monty, context, step)
        first = {name: h.poses for name, h in lm._hypotheses.items()}
        self.assertEqual(len(first), run.objects)
        for step in range(BURST, run.steps):
            run.step(monty, context, step)
        for name, poses in first.items():
            self.assertGreater(len(poses), 0)
            np.testing.assert_array_equal(lm._hypotheses[name].poses, poses)
        monty.deal_with_time_out()

    def test_learning_modules_vote(self) -> None:
        run = SyntheticRun(lms=2)
        monty = run.make("null")
        self.addCleanup(monty.close)
        context = run.begin(monty)
        for step in range(2):
            run.step(monty, context, step)
        (stream,) = monty.backend.backend.streams
        self.assertEqual(stream.launched["choose_likely"], 4)
        self.assertEqual(stream.launched["add_votes"], 2)

    def test_recognises_nothing(self) -> None:
        run = SyntheticRun(lms=1, objects=1)
        monty = run.make("null")
        self.addCleanup(monty.close)
        context = run.begin(monty)
        for step in range(run.steps):
            run.step(monty, context, step)
        self.assertIsNone(monty.learning_modules[0].terminal_state)
