# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The numpy backend does what the learning modules' own update does."""

from __future__ import annotations

import copy
import unittest
from typing import Any

import numpy as np

from tbp.monty.backends.builtin.numpy import NumpyBackend
from tbp.monty.backends.numpy.numbers import UnusableNumbers
from tbp.monty.cmp import Message
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
    BurstSamplingHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
    DefaultHypothesesUpdater,
)
from tests.frameworks.models.evidence_matching.learned import (
    CONTEXT,
    learned_lm,
    percepts_of,
)

CLOSE = 1e-12
UPDATERS: tuple[type, ...] = (
    DefaultHypothesesUpdater,
    BurstSamplingHypothesesUpdater,
)


class LMRun:
    """A learning module whose hypotheses a backend updates."""

    def __init__(self, lm: Any, backend: Any = None) -> None:
        self.lm = lm
        if backend is not None:
            lm.hypotheses_updater.backend = backend
        self.last_location: Any = None

    def step(self, percept: Message) -> None:
        features = {
            "patch": {
                **percept.morphological_features,
                **percept.non_morphological_features,
            }
        }
        displacement = None
        if self.last_location is not None:
            displacement = percept.location - self.last_location
        self.last_location = percept.location
        self.lm._update_possible_matches(CONTEXT, (features, displacement))

    def restart(self) -> None:
        self.lm.reset_stm()
        self.last_location = None


class SameRunsTestCase(unittest.TestCase):
    """Runs that are the same on any backend; the tests of backends are subclasses."""

    __test__ = False

    def assert_same_runs(
        self, percepts: list[Message] | None = None, **settings: Any
    ) -> None:
        raise NotImplementedError

    def test_default_updater(self) -> None:
        for poses in ("informed", "uniform", [[0, 0, 0], [0, 90, 0]]):
            with self.subTest(poses):
                self.assert_same_runs(
                    hypotheses_updater_args=dict(initial_possible_poses=poses)
                )

    def test_every_threshold(self) -> None:
        for threshold in ("all", "mean", "median", "20%", "x_percent_threshold", 1.5):
            with self.subTest(threshold):
                self.assert_same_runs(evidence_threshold_config=threshold)

    def test_neighbours_and_weights(self) -> None:
        for neighbors in (1, 10, 64):
            with self.subTest(neighbors):
                self.assert_same_runs(
                    past_weight=0.4,
                    present_weight=0.6,
                    feature_evidence_increment=2,
                    hypotheses_updater_args=dict(max_nneighbors=neighbors),
                )

    def test_burst_sampling(self) -> None:
        for multiplier in (0.4, 1.0, 2.0):
            with self.subTest(multiplier):
                self.assert_same_runs(
                    hypotheses_updater_class=BurstSamplingHypothesesUpdater,
                    hypotheses_updater_args=dict(
                        sampling_multiplier=multiplier, include_telemetry=True
                    ),
                )

    def test_pose_that_is_not_fully_defined(self) -> None:
        percepts = percepts_of(1)
        for percept in percepts[::2]:
            percept.morphological_features["pose_fully_defined"] = False
        for updater in UPDATERS:
            with self.subTest(updater.__name__):
                self.assert_same_runs(percepts, hypotheses_updater_class=updater)


class SameAsTheLearningModuleTest(SameRunsTestCase):
    __test__ = True

    def test_one_episode_after_the_other(self) -> None:
        for updater in UPDATERS:
            with self.subTest(updater.__name__):
                both = self.runs(hypotheses_updater_class=updater)
                for shape in (1, 0, 1):
                    for run in both:
                        run.restart()
                    self.assert_same_steps(both, percepts_of(shape)[:7])

    def test_votes_and_possible_hypotheses_count(self) -> None:
        both = self.runs()
        self.assert_same_steps(both, percepts_of(1)[:3])
        for run in both:
            hypotheses = run.lm._hypotheses["new_object0"]
            hypotheses.evidence = np.ma.array(hypotheses.evidence + 0.5, mask=False)
            hypotheses.possible[:5] = True
        self.assert_same_steps(both, percepts_of(1)[3:5])
        possible = both[1].lm._hypotheses["new_object0"].possible
        self.assertEqual(possible.sum(), 5)
        self.assertNotIsInstance(
            both[1].lm._hypotheses["new_object0"].evidence, np.ma.MaskedArray
        )

    def test_hypotheses_deleted_by_others_are_made_again(self) -> None:
        both = self.runs()
        self.assert_same_steps(both, percepts_of(1)[:3])
        for run in both:
            run.lm._hypotheses["new_object0"] = Hypotheses.empty()
        self.assert_same_steps(both, percepts_of(1)[3:5])

    def test_a_failed_update_leaves_hypotheses_as_they_were(self) -> None:
        run = self.runs()[1]
        first, broken = percepts_of(1)[:2]
        run.step(first)
        before = copy.deepcopy(run.lm._hypotheses)
        broken.location = np.array([np.nan, 0.0, 0.0])
        with self.assertRaisesRegex(UnusableNumbers, "LM_0, new_object0"):
            run.step(broken)
        for graph_id, hypotheses in before.items():
            for name, values in vars(hypotheses).items():
                kept = getattr(run.lm._hypotheses[graph_id], name)
                np.testing.assert_array_equal(kept, values)

    def runs(self, **settings: Any) -> list[LMRun]:
        lm = learned_lm(**settings)
        return [LMRun(copy.deepcopy(lm)), LMRun(lm, NumpyBackend())]

    def assert_same_runs(
        self, percepts: list[Message] | None = None, **settings: Any
    ) -> None:
        both = self.runs(**settings)
        self.assert_same_steps(both, percepts or percepts_of(1) + percepts_of(0))

    def assert_same_steps(self, both: list[LMRun], percepts: list[Message]) -> None:
        for percept in percepts:
            for run in both:
                run.step(percept)
            self.assert_same(both[0].lm, both[1].lm)

    def assert_same(self, expected: Any, found: Any) -> None:
        self.assertEqual(list(found._hypotheses), list(expected._hypotheses))
        for name in ("graph_id", "mlh_id"):
            self.assertEqual(found.current_mlh[name], expected.current_mlh[name])
        for graph_id, hypotheses in expected._hypotheses.items():
            for name, values in vars(hypotheses).items():
                self.assert_close(getattr(found._hypotheses[graph_id], name), values)
            self.assert_same_telemetry(
                found.hypotheses_updater_telemetry[graph_id],
                expected.hypotheses_updater_telemetry[graph_id],
            )
        trackers = getattr(expected.hypotheses_updater, "evidence_slope_trackers", {})
        for graph_id, tracker in trackers.items():
            kept = found.hypotheses_updater.evidence_slope_trackers[graph_id]
            self.assert_close(kept.hyp_ages(), tracker.hyp_ages())
            self.assert_close(kept.calculate_slopes(), tracker.calculate_slopes())

    def assert_same_telemetry(self, found: dict, expected: dict) -> None:
        self.assertEqual(list(found), list(expected))
        for name, value in expected.items():
            if isinstance(value, dict):
                self.assert_same_telemetry(found[name], value)
            elif value is None:
                self.assertIsNone(found[name])
            else:
                self.assert_close(found[name], value)

    def assert_close(self, found: Any, expected: Any) -> None:
        np.testing.assert_allclose(found, expected, rtol=CLOSE, atol=CLOSE)


if __name__ == "__main__":
    unittest.main()
