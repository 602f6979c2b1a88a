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

from tbp.monty.backends.numpy.thresholds import InvalidThreshold, update_threshold
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    InvalidEvidenceThresholdConfig,
    evidence_update_threshold,
)


class UpdateThresholdTest(unittest.TestCase):
    def test_equals_upstreams(self) -> None:
        random = np.random.default_rng(0)
        for setting in (3, -1.5, "mean", "median", "all", "20%", "x_percent_threshold"):
            for count in (0, 1, 2, 77, 1000):
                evidence = random.normal(size=count)
                self.assertEqual(
                    update_threshold(setting, 17, 2.37, evidence),
                    evidence_update_threshold(setting, 17, 2.37, evidence),
                )

    def test_rounds_as_upstream_does(self) -> None:
        random, evidence, differing = np.random.default_rng(1), np.zeros(1), 0
        for _ in range(1000):
            percent, highest = float(random.integers(101)), random.normal(scale=20)
            found = []
            for setting in (f"{percent}%", "x_percent_threshold"):
                asked = setting, percent, highest, evidence
                found.append(update_threshold(*asked))
                self.assertEqual(found[-1], evidence_update_threshold(*asked))
            differing += found[0] != found[1]
        self.assertGreater(differing, 0)

    def test_refuses_what_upstream_refuses(self) -> None:
        evidence = np.zeros(3)
        refused: list[Any] = ["most", "101%", "-1%", "many%", None]
        for setting in refused:
            with self.assertRaises(
                (InvalidEvidenceThresholdConfig, AssertionError, ValueError)
            ):
                evidence_update_threshold(setting, 17, 2.0, evidence)
            with self.assertRaisesRegex(InvalidThreshold, "got"):
                update_threshold(setting, 17, 2.0, evidence)


if __name__ == "__main__":
    unittest.main()
