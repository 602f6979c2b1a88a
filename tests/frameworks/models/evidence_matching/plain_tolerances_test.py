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
import numpy.testing as npt
from omegaconf import OmegaConf

from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)


def settings() -> dict[str, Any]:
    return dict(
        tolerances={"patch": {"hsv": np.array([0.1, 0.2, 0.3])}},
        feature_weights={"patch": {"hsv": np.array([1.0, 0.5, 0.5])}},
    )


class PlainTolerancesTest(unittest.TestCase):
    def lm(self, given: dict[str, Any]) -> Any:
        return EvidenceGraphLM(max_match_distance=0.01, **given)

    def test_containers_of_hydra_become_dictionaries(self) -> None:
        flags = {"allow_objects": True}
        hydras = {k: OmegaConf.create(v, flags=flags) for k, v in settings().items()}
        lm, expected = self.lm(hydras), self.lm(settings())
        for name in settings():
            found, wanted = getattr(lm, name), getattr(expected, name)
            self.assertIs(type(found), dict)
            self.assertIs(type(found["patch"]), dict)
            self.assertEqual(list(found["patch"]), list(wanted["patch"]))
            for feature, values in wanted["patch"].items():
                npt.assert_array_equal(found["patch"][feature], values)

    def test_a_dictionary_stays_the_same_object(self) -> None:
        given = settings()
        lm = self.lm(given)
        self.assertIs(lm.feature_weights, given["feature_weights"])

    def test_updater_and_memory_share_them(self) -> None:
        lm = self.lm(settings())
        self.assertIs(lm.graph_memory.features_to_use, lm.tolerances)
        displacer = lm.hypotheses_updater._hypotheses_displacer
        self.assertIs(displacer.feature_weights, lm.feature_weights)
