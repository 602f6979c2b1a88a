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

from tbp.monty.frameworks.models.abstract_monty_classes import LearningModule
from tbp.monty.frameworks.models.pending_step import PendingStep

CONTEXT: Any = "ctx"
PERCEPTS: Any = ["percept"]


class OtherFamily(LearningModule):
    """A learning module with whole steps only."""

    def __init__(self) -> None:
        self.did: list = []

    def matching_step(self, ctx, percepts) -> None:
        self.did.append(("match", ctx, percepts))

    def exploratory_step(self, ctx, percepts) -> None:
        self.did.append(("explore", ctx, percepts))


# The other abstract methods have nothing to do with stepping.
OtherFamily.__abstractmethods__ = frozenset()


class DefaultHalvesTest(unittest.TestCase):
    def test_the_whole_step_runs_in_the_second_phase(self) -> None:
        for step, expected in (("matching", "match"), ("exploratory", "explore")):
            with self.subTest(step):
                lm = OtherFamily()  # type: ignore[abstract]
                pending = getattr(lm, f"dispatch_{step}_step")(CONTEXT, PERCEPTS)
                self.assertEqual(lm.did, [])
                self.assertEqual(pending, PendingStep(CONTEXT, PERCEPTS))
                getattr(lm, f"process_{step}_step")(pending)
                self.assertEqual(lm.did, [(expected, CONTEXT, PERCEPTS)])
