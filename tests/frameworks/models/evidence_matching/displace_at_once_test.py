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
from unittest.mock import Mock

import numpy as np

from tbp.monty.backends.builtin.numba import NumbaBackend
from tbp.monty.backends.shared import SharedBackend
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
    BurstSamplingHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.displace_at_once import (
    left_to_displace,
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

BY = np.array([0.01, 0.02, 0.03])


class LeftToDisplaceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.backend = SharedBackend(NumbaBackend())
        self.addCleanup(self.backend.close)

    def learning_module(self, updater: type = DefaultHypothesesUpdater) -> Any:
        """Return a learning module whose hypotheses a backend has."""
        lm: Any = learned_lm(hypotheses_updater_class=updater)
        lm.hypotheses_updater.backend = self.backend
        lm.matching_step(CONTEXT, percepts_of(1)[:1])
        return lm

    def locations(self, lm: Any) -> dict[str, Any]:
        return {name: np.array(one.locations) for name, one in lm._hypotheses.items()}

    def expected(self, lm: Any) -> dict[str, Any]:
        return {
            name: one.locations + one.poses.dot(BY)
            for name, one in lm._hypotheses.items()
        }

    def test_what_a_backend_has_is_displaced_at_once(self) -> None:
        for updater in (DefaultHypothesesUpdater, BurstSamplingHypothesesUpdater):
            with self.subTest(updater.__name__):
                lm = self.learning_module(updater)
                expected = self.expected(lm)
                self.assertEqual(left_to_displace(lm, BY), [])
                np.testing.assert_equal(self.locations(lm), expected)

    def test_hypotheses_that_no_backend_has_are_left(self) -> None:
        lm = self.learning_module()
        own = lm._hypotheses["new_object0"] = Hypotheses.empty()
        self.assertEqual(left_to_displace(lm, BY), [("new_object0", own)])

    def test_an_updater_that_displaces_in_its_own_way_is_asked(self) -> None:
        for part in ("hypotheses_updater", "displacer"):
            with self.subTest(part):
                lm = self.learning_module()
                before = self.locations(lm)
                updater = lm.hypotheses_updater
                own = updater if part != "displacer" else updater._hypotheses_displacer
                own.displace_hypotheses = Mock()
                self.assertEqual(len(list(left_to_displace(lm, BY))), 2)
                np.testing.assert_equal(self.locations(lm), before)
