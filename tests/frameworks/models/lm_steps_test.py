# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

import unittest
from typing import Any

from tbp.monty.frameworks.models.lm_steps import dispatch_step, process_step
from tbp.monty.frameworks.models.pending_step import PendingStep

CONTEXT: Any = None
PERCEPTS: Any = "p"


class InHalves:
    def __init__(self) -> None:
        self.did: list = []

    def matching_step(self, _ctx, _percepts) -> None:
        self.did.append("whole")

    def dispatch_matching_step(self, ctx, percepts) -> PendingStep:
        self.did.append("dispatch")
        return PendingStep(ctx, percepts, matches="m")

    def process_matching_step(self, pending: PendingStep) -> None:
        self.did.append(("process", pending.matches))

    def dream_step(self, _ctx, percepts) -> None:
        self.did.append(("dream", percepts))


class LMStepsTest(unittest.TestCase):
    def test_a_step_in_halves_is_dispatched_and_processed(self) -> None:
        lm: Any = InHalves()
        pending = dispatch_step(lm, "matching_step", CONTEXT, PERCEPTS)
        self.assertEqual(lm.did, ["dispatch"])
        process_step(lm, "matching_step", pending)
        self.assertEqual(lm.did, ["dispatch", ("process", "m")])

    def test_a_step_without_halves_runs_when_it_is_processed(self) -> None:
        lm: Any = InHalves()
        pending = dispatch_step(lm, "dream_step", CONTEXT, PERCEPTS)
        self.assertEqual(lm.did, [])
        process_step(lm, "dream_step", pending)
        self.assertEqual(lm.did, [("dream", PERCEPTS)])
