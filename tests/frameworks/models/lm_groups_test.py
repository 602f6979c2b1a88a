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

import numpy as np

from tbp.monty.frameworks.models.displacement_matching import DisplacementGraphLM
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
    BurstSamplingHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)
from tbp.monty.frameworks.models.lm_groups import InvalidLMGroups, form_lm_groups


def evidence_lm(channel: str = "patch", **settings) -> EvidenceGraphLM:
    settings = {
        "max_match_distance": 0.01,
        "tolerances": {channel: {"hsv": np.array([0.1, 0.2, 0.2])}},
        "feature_weights": {channel: {"hsv": np.array([1.0, 0.5, 0.0])}},
        **settings,
    }
    return EvidenceGraphLM(**settings)


def burst_lm(channel: str = "patch", **updater_settings) -> EvidenceGraphLM:
    return evidence_lm(
        channel,
        hypotheses_updater_class=BurstSamplingHypothesesUpdater,
        hypotheses_updater_args=updater_settings,
    )


class DefaultGroupsTest(unittest.TestCase):
    def assert_groups(self, lms: list, expected: list) -> None:
        self.assertEqual(form_lm_groups(lms), expected)

    def test_learning_modules_of_a_class_form_one_group(self) -> None:
        self.assert_groups([evidence_lm() for _ in range(3)], [(0, 1, 2)])

    def test_settings_do_not_matter(self) -> None:
        weights = {"patch": {"hsv": np.array([1.0, 1.0, 1.0])}}
        lms = [
            evidence_lm("patch_0"),
            evidence_lm("patch_1", feature_weights=weights),
            evidence_lm(max_match_distance=0.02),
            burst_lm(),
        ]
        self.assert_groups(lms, [(0, 1, 2, 3)])

    def test_groups_keep_the_original_order(self) -> None:
        class Own(EvidenceGraphLM):
            pass

        own = Own(max_match_distance=0.01, tolerances={}, feature_weights={})
        lms = [evidence_lm(), own, DisplacementGraphLM(), evidence_lm()]
        self.assert_groups(lms, [(0, 3), (1,), (2,)])

    def test_no_learning_modules_form_no_groups(self) -> None:
        self.assert_groups([], [])


class GivenGroupsTest(unittest.TestCase):
    lms: list = [object()] * 4

    def test_are_taken_as_they_are(self) -> None:
        self.assertEqual(form_lm_groups(self.lms, [[3], [0, 2, 1]]), [(0, 1, 2), (3,)])

    def test_each_must_be_named_once(self) -> None:
        for groups in (
            [[0, 1, 2]],
            [[0, 1], [1, 2, 3]],
            [[0, 1, 2, 3, 4]],
            [[0, 1, 2, -1]],
            [[0, 1, 2, 3], []],
        ):
            with self.assertRaisesRegex(InvalidLMGroups, "each of the 4.*got"):
                form_lm_groups(self.lms, groups)
