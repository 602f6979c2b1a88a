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
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
    BurstSamplingHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.described_work import described_work
from tbp.monty.frameworks.models.evidence_matching.feature_evidence.calculator import (
    DefaultFeatureEvidenceCalculator,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
    DefaultHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)


class OwnCalculator(DefaultFeatureEvidenceCalculator):
    pass


class OwnUpdater(DefaultHypothesesUpdater):
    pass


class OwnLM(EvidenceGraphLM):
    def _update_evidence(self, features, displacement, graph_id):
        self.updated.append((features, displacement, graph_id))


def work_of(
    lm_class: type = EvidenceGraphLM,
    updater: type = DefaultHypothesesUpdater,
    **updater_arguments,
):
    lm = lm_class(
        max_match_distance=0.01,
        tolerances={"patch": {"hsv": np.array([0.1, 0.2, 0.2])}},
        feature_weights={"patch": {"hsv": np.array([1.0, 0.5, 0.0])}},
        hypotheses_updater_class=updater,
        hypotheses_updater_args=updater_arguments,
        use_multithreading=False,
    )
    lm.get_all_known_object_ids = lambda: ["mug"]
    lm.updated = []
    return lm, described_work(lm, {"patch": {}}, None)


class DescribedWorkTest(unittest.TestCase):
    def test_default_updater_describes_what_decides_its_arithmetic(self) -> None:
        _, work = work_of(max_nneighbors=7)
        self.assertEqual(work.updater.kind, "default")
        self.assertEqual(work.updater.settings["max_nneighbors"], 7)
        self.assertEqual(work.updater.settings["max_match_distance"], 0.01)
        self.assertEqual(work.graph_ids, ["mug"])
        self.assertFalse(work.in_threads)

    def test_burst_sampling_updater_is_described(self) -> None:
        updater = BurstSamplingHypothesesUpdater
        _, work = work_of(updater=updater, sampling_multiplier=3)
        self.assertEqual(work.updater.kind, "burst_sampling")
        self.assertEqual(work.updater.settings["sampling_multiplier"], 3)

    def test_an_update_without_description_comes_with_a_reason(self) -> None:
        reasons: dict[str, dict[str, Any]] = {
            "OwnUpdater does not describe": dict(updater=OwnUpdater),
            "OwnLM has its own _update_evidence": dict(lm_class=OwnLM),
            "DefaultHypothesesUpdater uses OwnCalculator": dict(
                feature_evidence_calculator=OwnCalculator
            ),
        }
        for reason, arguments in reasons.items():
            with self.subTest(reason):
                _, work = work_of(**arguments)
                self.assertIn(reason, work.updater)

    def test_a_graph_is_updated_by_the_learning_module_itself(self) -> None:
        lm, work = work_of(lm_class=OwnLM)
        work.update_graph("mug")
        self.assertEqual(lm.updated, [({"patch": {}}, None, "mug")])


class HistoryTest(unittest.TestCase):
    def test_a_tracker_has_copies_of_what_a_backend_keeps(self) -> None:
        _, work = work_of(updater=BurstSamplingHypothesesUpdater)
        window = np.arange(6.0).reshape(2, 3)
        ages, channels = np.array([4, 5]), np.ones(3)
        work.state.keep_history("mug", EvidenceHistory(window, ages, channels))
        for array in (window, ages, channels):
            array[:] = 9
        found = work.state.history("mug")
        np.testing.assert_array_equal(found.window, np.arange(6.0).reshape(2, 3))
        self.assertEqual(found.ages.tolist(), [4, 5])
        self.assertEqual(found.channels.tolist(), [1.0] * 3)


if __name__ == "__main__":
    unittest.main()
