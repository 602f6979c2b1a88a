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
from unittest.mock import patch

import numpy as np

from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.known_evidence import (
    second_most_likely,
)


def hypotheses(evidence: np.ndarray) -> dict[str, Hypotheses]:
    count = len(evidence)
    poses = np.tile(np.eye(3), (count, 1, 1))
    possible = np.zeros(count, dtype=bool)
    return {"mug": Hypotheses(evidence, np.zeros((count, 3)), poses, possible)}


class SecondMostLikelyTest(unittest.TestCase):
    def assert_as_sorted(self, evidence: np.ndarray) -> None:
        found = second_most_likely(hypotheses(evidence), "mug")
        self.assertEqual(found, np.argsort(evidence)[-2])
        self.assertIs(type(found), np.intp)

    def test_it_is_the_one_that_sorting_finds(self) -> None:
        rng = np.random.default_rng(0)
        for count in (2, 3, 40, 501, 3000):
            for evidence in (
                rng.normal(size=count),
                rng.integers(9, size=count).astype(float),
                np.where(rng.random(count) < 0.1, np.nan, rng.normal(size=count)),
                np.zeros(count),
            ):
                with self.subTest(evidence=evidence):
                    self.assert_as_sorted(evidence)

    def test_many_are_sorted_only_if_several_have_the_same(self) -> None:
        evidence = np.random.default_rng(1).permutation(2000.0 + np.arange(2000))
        with patch.object(np, "argsort", wraps=np.argsort) as sort:
            second = second_most_likely(hypotheses(evidence), "mug")
            self.assertEqual(evidence[second], 3998)
            sort.assert_not_called()
            evidence[evidence == 3997] = 3998
            second_most_likely(hypotheses(evidence), "mug")
            sort.assert_called_once()
