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

    def test_equal_learning_modules_form_one_group(self) -> None:
        self.assert_groups([evidence_lm() for _ in range(3)], [(0, 1, 2)])

    def test_names_of_input_channels_do_not_matter(self) -> None:
        lms = [evidence_lm(f"patch_{i}") for i in range(3)]
        self.assert_groups(lms, [(0, 1, 2)])
        self.assert_groups([burst_lm("patch_0"), burst_lm("patch_1")], [(0, 1)])

    def test_another_identity_or_memory_does_not_matter(self) -> None:
        lms = [evidence_lm(), evidence_lm()]
        lms[1].learning_module_id = "another"
        lms[1].graph_memory.models_in_memory["mug"] = {}
        self.assert_groups(lms, [(0, 1)])

    def test_groups_keep_the_original_order(self) -> None:
        lms = [evidence_lm(), burst_lm(), evidence_lm(), burst_lm()]
        self.assert_groups(lms, [(0, 2), (1, 3)])

    def test_another_class_forms_another_group(self) -> None:
        displacement = DisplacementGraphLM()
        self.assert_groups([evidence_lm(), displacement], [(0,), (1,)])

    def test_another_subclass_updater_or_radius_forms_another_group(self) -> None:
        class Own(EvidenceGraphLM):
            pass

        own = Own(max_match_distance=0.01, tolerances={}, feature_weights={})
        for other in (own, burst_lm(), evidence_lm(max_match_distance=0.02)):
            with self.subTest(type(other).__name__):
                self.assert_groups([evidence_lm(), other], [(0,), (1,)])

    def test_weights_and_tolerances_do_not_matter(self) -> None:
        weights = {"patch": {"hsv": np.array([1.0, 1.0, 1.0])}}
        lms = [evidence_lm(), evidence_lm(feature_weights=weights)]
        self.assert_groups(lms, [(0, 1)])

    def test_a_module_that_does_not_say_what_it_computes_with_is_alone(self) -> None:
        class Simple:
            pass

        self.assert_groups([Simple(), evidence_lm(), Simple()], [(0,), (1,), (2,)])
        lms = [DisplacementGraphLM(), DisplacementGraphLM()]
        self.assert_groups(lms, [(0,), (1,)])

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
