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


class NullTest(unittest.TestCase):
    def test_episodes_run_and_hypotheses_stay_as_they_were_made(self) -> None:
        for updater in ("default", "burst"):
            with self.subTest(updater):
                run = SyntheticRun(updater, steps=10)
                monty = run.make("null")
                for _ in range(2):
                    self.assert_runs(run, monty)
                summary = monty.backend.summary()
                monty.close()
                self.assertIn("nothing was computed", summary)
                self.assertIn("20 launches", summary)
                # Three objects, three learning modules, two episodes.
                self.assertIn("made 18 times", summary)

    def assert_runs(self, run: SyntheticRun, monty) -> None:
        context = run.begin(monty)
        run.step(monty, context, 0)
        lm = monty.learning_modules[0]
        first = {name: h.poses for name, h in lm._hypotheses.items()}
        self.assertEqual(len(first), run.objects)
        for step in range(1, run.steps):
            run.step(monty, context, step)
        for name, poses in first.items():
            self.assertGreater(len(poses), 0)
            np.testing.assert_array_equal(lm._hypotheses[name].poses, poses)
        monty.deal_with_time_out()

    def test_counts_the_bytes_and_launches_of_a_device(self) -> None:
        run = SyntheticRun(lms=1, votes=False)
        monty = run.make("null")
        self.addCleanup(monty.close)
        context = run.begin(monty)
        run.step(monty, context, 0)
        backend = monty.backend._backend
        count = sum(
            len(h.evidence) for h in monty.learning_modules[0]._hypotheses.values()
        )
        # Evidence, location, pose and a flag.
        self.assertEqual(backend.memory, count * (8 + 24 + 72 + 1))
        sent, returned = backend.bytes_sent, backend.bytes_returned
        run.step(monty, context, 1)
        self.assertGreater(backend.bytes_sent, sent)
        self.assertEqual(backend.bytes_returned, 2 * returned)
        self.assertEqual(backend.launches, 2)
