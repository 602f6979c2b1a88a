# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import unittest
from unittest import mock

from monty_tools.recording import stopwatch
from monty_tools.recording.stopwatch import Stopwatch


class Clock:
    now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def process_time(self) -> float:
        return 2 * self.now  # as with two threads


class FakeMonty:
    """Takes a known time for everything it does."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def reset(self) -> None:
        self._clock.now += 16

    def step(self) -> None:
        self.aggregate_sensory_inputs()
        self._step_learning_modules()
        self._vote()
        self._clock.now += 8

    def aggregate_sensory_inputs(self) -> None:
        self._clock.now += 1

    def _step_learning_modules(self) -> None:
        self._clock.now += 2

    def _vote(self) -> None:
        self._clock.now += 4
        raise LookupError("counted all the same")


class StopwatchTest(unittest.TestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        patch = mock.patch.object(stopwatch, "time", self.clock)
        patch.start()
        self.addCleanup(patch.stop)
        self.monty = FakeMonty(self.clock)
        self.stopwatch = Stopwatch()
        self.stopwatch.attach(self.monty)

    def test_times_each_part_and_starts_again_after_take(self) -> None:
        self.monty.reset()
        for _ in range(2):
            with self.assertRaises(LookupError):
                self.monty.step()
        self.clock.now += 1000  # time that passes outside Monty
        self.assertEqual(
            self.stopwatch.take(),
            {
                "sensor modules": 2,
                "learning modules": 4,
                "votes": 8,
                "resets": 16,
                "other": 0,
                "whole": 30,
                "CPU": 60,
            },
        )
        self.assertEqual(set(self.stopwatch.take().values()), {0})

    def test_the_rest_of_a_step_is_other(self) -> None:
        self.monty._vote = lambda: None
        self.monty.step()
        taken = self.stopwatch.take()
        self.assertEqual((taken["other"], taken["whole"]), (8, 11))

    def test_only_the_attached_monty_is_timed(self) -> None:
        FakeMonty(self.clock).reset()
        self.assertEqual(self.stopwatch.take()["resets"], 0)
