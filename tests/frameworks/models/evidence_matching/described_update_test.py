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
from typing import Any

import numpy as np

from tbp.monty.backends.described_work import EvidenceHistory
from tbp.monty.backends.failures import CannotRun
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
    BurstSamplingHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.evidence_slope_tracker import (
    EvidenceSlopeTracker,
)
from tbp.monty.frameworks.models.evidence_matching.feature_evidence.calculator import (
    DefaultFeatureEvidenceCalculator,
)
from tbp.monty.frameworks.models.evidence_matching.feature_evidence.scorer import (
    DefaultFeatureEvidenceScorer,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
    DefaultHypothesesUpdater,
)
from tests.frameworks.models.evidence_matching.learned import (
    CONTEXT,
    learned_lm,
    percepts_of,
)

BURST = BurstSamplingHypothesesUpdater


class OwnCalculator(DefaultFeatureEvidenceCalculator):
    pass


class OwnUpdater(DefaultHypothesesUpdater):
    pass


def described(lm: Any) -> Any:
    return lm.hypotheses_updater.describe(lm._evidence_query({}, None))


class DescribedUpdateTest(unittest.TestCase):
    def test_it_has_what_decides_the_arithmetic_of_the_default_updater(self) -> None:
        arguments = {"max_nneighbors": 7}
        lm = learned_lm(hypotheses_updater_args=arguments)
        update = described(lm)
        self.assertEqual(update.kind, "default")
        self.assertEqual(update.settings["max_nneighbors"], 7)
        self.assertEqual(update.settings["max_match_distance"], 0.02)
        self.assertEqual(update.graph_ids, ["new_object0", "new_object1"])
        self.assertEqual(update.evidence_threshold_config, "all")

    def test_it_has_what_burst_sampling_decides_on_a_step(self) -> None:
        arguments = {"sampling_multiplier": 3}
        lm: Any = learned_lm(
            hypotheses_updater_class=BURST, hypotheses_updater_args=arguments
        )
        update = described(lm)
        self.assertEqual(update.kind, "burst_sampling")
        self.assertEqual(update.settings["sampling_multiplier"], 3)
        self.assertTrue(update.is_sampling)
        self.assertEqual(update.max_slope, -np.inf)
        # A failed step counts none of the burst.
        self.assertEqual(lm.hypotheses_updater.sampling_burst_steps, 5)
        self.assertTrue(described(lm).is_sampling)

    def test_an_update_that_is_not_known_has_a_reason(self) -> None:
        for updater_class in (DefaultHypothesesUpdater, BURST):
            for reason, change in {
                "uses OwnCalculator": use_own_calculator,
                "uses Elsewhere": use_other_scorer_class,
                "scores features in another way": use_scorer_in_displacer,
                "update_evidence is set on its": set_method,
                "displace_hypotheses is set on its DefaultHyp": set_method_of_part,
            }.items():
                with self.subTest(reason, updater=updater_class.__name__):
                    lm: Any = learned_lm(hypotheses_updater_class=updater_class)
                    change(lm.hypotheses_updater)
                    with self.assertRaisesRegex(CannotRun, reason):
                        described(lm)

    def test_a_subclass_has_a_reason(self) -> None:
        lm = learned_lm(hypotheses_updater_class=OwnUpdater)
        with self.assertRaisesRegex(CannotRun, "uses OwnUpdater"):
            described(lm)

    def test_what_cannot_be_described_runs_on_reference(self) -> None:
        for change in (use_other_scorer_class, use_calculator_instance):
            with self.subTest(change.__name__):
                lm: Any = learned_lm()
                change(lm.hypotheses_updater)
                for percept in percepts_of(1)[:2]:
                    lm.matching_step(CONTEXT, [percept])
                self.assertEqual(lm.current_mlh["graph_id"], "new_object1")


def use_own_calculator(updater: Any) -> None:
    updater._feature_evidence_scorer._feature_evidence_calculator = OwnCalculator


def use_calculator_instance(updater: Any) -> None:
    scorer = updater._feature_evidence_scorer
    scorer._feature_evidence_calculator = DefaultFeatureEvidenceCalculator()


def use_other_scorer_class(updater: Any) -> None:
    class Elsewhere:
        """A scorer that has none of Monty's attributes."""

        def __init__(self, scorer: DefaultFeatureEvidenceScorer) -> None:
            self.score = scorer

        def __call__(self, **query: Any) -> Any:
            return self.score(**query)

    scorer = Elsewhere(updater._feature_evidence_scorer)
    updater._feature_evidence_scorer = scorer
    updater._hypotheses_displacer._feature_evidence_scorer = scorer


def use_scorer_in_displacer(updater: Any) -> None:
    scorer = DefaultFeatureEvidenceScorer(updater.graph_memory, {}, {})
    updater._hypotheses_displacer._feature_evidence_scorer = scorer


def set_method(updater: Any) -> None:
    updater.update_evidence = updater.update_evidence


def set_method_of_part(updater: Any) -> None:
    displacer = updater._hypotheses_displacer
    displacer.displace_hypotheses = displacer.displace_hypotheses


class HistoryTest(unittest.TestCase):
    def test_a_tracker_has_copies_of_the_history_it_is_made_from(self) -> None:
        window = np.arange(6.0).reshape(2, 3)
        history = EvidenceHistory(window, np.array([4, 5]), np.ones(3))
        tracker: Any = EvidenceSlopeTracker
        tracker = tracker.from_history(history)
        for array in history:
            array[:] = 9
        found = tracker.history()
        np.testing.assert_array_equal(found.window, np.arange(6.0).reshape(2, 3))
        self.assertEqual(found.ages.tolist(), [4, 5])
        self.assertEqual(found.channels.tolist(), [1.0] * 3)
        self.assertEqual(tracker.total_size(), 2)
