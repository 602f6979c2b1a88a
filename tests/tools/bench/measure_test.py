# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs the real upstream and the real fork, on a tiny scenario."""

from __future__ import annotations

import importlib
import unittest
from pathlib import Path
from unittest import mock

from monty_tools.bench.agreement import Disagreement
from monty_tools.bench.measure import (
    MOST_EPISODES,
    ROUND_S,
    Measured,
    _run_round,
    measure,
)
from monty_tools.bench.settings import Settings
from monty_tools.refactor.upstream import obtain
from monty_tools.workers.sides import Paths

SETTINGS = Settings(lms=1, objects=2, updater="burst_sampling", steps=3, nodes=(40, 60))


class MeasureTest(unittest.TestCase):
    measured: list[Measured]

    @classmethod
    def setUpClass(cls) -> None:
        monty = importlib.import_module("tbp.monty")
        fork = Path(monty.__file__).parents[2]
        paths = Paths(obtain().import_root, fork, fork)
        cls.done: list[str] = []
        # It returns only if both sides ended every round in the same state.
        cls.measured = measure(
            ["upstream", "reference"], paths, SETTINGS, 2, cls.done.append
        )

    def test_every_round_of_every_side_was_timed(self) -> None:
        for one in self.measured:
            self.assertEqual([len(steps) for steps in one.step_s], [3, 3])
            self.assertGreater(min(one.rounds_s), 0)
            self.assertEqual(len(one.reset_s), 2)

    def test_each_side_runs_its_own_release(self) -> None:
        upstream, reference = self.measured
        self.assertEqual((upstream.name, reference.name), ("upstream", "reference"))
        self.assertNotIn("+", upstream.version)
        self.assertIn(f"{upstream.version}+backends.", reference.version)

    def test_the_sides_took_turns(self) -> None:
        self.assertEqual(
            self.done[-4:],
            [
                "upstream, round 1",
                "reference, round 1",
                "reference, round 2",
                "upstream, round 2",
            ],
        )

    def test_hypotheses_are_counted(self) -> None:
        upstream, reference = self.measured
        self.assertEqual(upstream.hypotheses, reference.hypotheses)
        self.assertEqual(len(upstream.hypotheses), 3)
        self.assertGreater(min(upstream.hypotheses), 0)

    def test_memory_is_measured(self) -> None:
        for one in self.measured:
            self.assertGreaterEqual(one.peak_mib, one.loaded_mib)
            self.assertGreater(one.loaded_mib, 50)


class FakeSide:
    """Answers at once, and claims to recognise an object of its own name."""

    def __init__(self, name: str, *_) -> None:
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        pass

    def describe(self) -> dict:
        return {"version": "1", "peak_mib": 1}

    def begin(self) -> dict:
        return {"reset_s": 1}

    def trace(self) -> dict:
        return {"trace": [[{"hypotheses": 1, "object": self.name}]], "votes": [0]}

    def end(self) -> dict:
        return {"beliefs": [], "most": [], "digest": "", "peak_mib": 1}


class TimedSide(FakeSide):
    """Takes as long as it is told to."""

    def __init__(self, *seconds: float) -> None:
        super().__init__("timed")
        self.seconds = list(seconds)

    def run(self) -> dict:
        return {"step_s": [self.seconds.pop(0)], "cpu_s": 0.0}


class RoundTest(unittest.TestCase):
    def seconds_of_round(self, side: TimedSide) -> float:
        measured = Measured("timed")
        _run_round(side, measured, "round 1")
        (seconds,) = measured.rounds_s
        return seconds

    def test_a_long_episode_is_a_round(self) -> None:
        side = TimedSide(2 * ROUND_S, 1.0)
        self.assertEqual(self.seconds_of_round(side), 2 * ROUND_S)
        self.assertEqual(side.seconds, [1.0])

    def test_a_round_of_short_episodes_takes_their_median(self) -> None:
        side = TimedSide(0.2, 0.125, 0.25, 1.0)
        self.assertEqual(self.seconds_of_round(side), 0.2)
        self.assertEqual(side.seconds, [1.0])

    def test_a_round_ends_however_short_its_episodes(self) -> None:
        side = TimedSide(*[0.001] * (MOST_EPISODES + 1))
        self.seconds_of_round(side)
        self.assertEqual(len(side.seconds), 1)


class AgreementTest(unittest.TestCase):
    def test_a_side_with_other_results_is_not_timed(self) -> None:
        with (
            mock.patch("monty_tools.bench.measure.Side", FakeSide),
            self.assertRaisesRegex(Disagreement, "upstream .* and fast .* step 1"),
        ):
            measure(["upstream", "fast"], None, SETTINGS, 1)
