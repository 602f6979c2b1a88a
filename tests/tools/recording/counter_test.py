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
from types import SimpleNamespace
from typing import Any

from monty_tools.recording.counter import Counter, LimitReached


class Closed:
    """Has no attribute that could be read."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was read")


class Experiment:
    def __init__(self) -> None:
        self.ended: list[int] = []
        self.model = Closed()
        self._step_hook = lambda *args: args[-1] * 2

    def post_episode(self, steps: int) -> None:
        self.ended.append(steps)

    def step(self, actions: list) -> list:
        return self._step_hook(SimpleNamespace(), self.model, [], 0, {}, actions)


class CounterTest(unittest.TestCase):
    def setUp(self) -> None:
        self.experiment = Experiment()
        self.progress: list[tuple[int, int]] = []

    def attached(self, **limits: int) -> Counter:
        counter = Counter(**limits, progress=lambda *done: self.progress.append(done))
        counter.attach(self.experiment)
        return counter

    def test_counts_and_reads_no_state(self) -> None:
        counter = self.attached()
        self.assertEqual(self.experiment.step(["turn"]), ["turn", "turn"])
        self.experiment.step([])
        self.experiment.post_episode(2)
        self.assertEqual((counter.steps, counter.episodes), (2, 1))
        self.assertEqual(self.progress, [(0, 1), (0, 2), (1, 2)])
        self.assertEqual(self.experiment.ended, [2])

    def test_ends_the_run_after_the_last_step_allowed(self) -> None:
        self.attached(steps=2)
        self.experiment.step([])
        with self.assertRaises(LimitReached):
            self.experiment.step([])
