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
from unittest.mock import Mock

import numpy as np

from tbp.monty.backends import SharedBackend
from tbp.monty.backends.builtin.reference import ReferenceBackend
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)
from tbp.monty.frameworks.models.honoured_overrides import (
    HonouringLMSteps,
    MixedOverrides,
)
from tests.frameworks.models.evidence_matching.learned import (
    CONTEXT,
    learned_lm,
    percepts_of,
)


class Logging(EvidenceGraphLM):
    """Logs the stages of its step."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.did: list[str] = []

    def _make_query(self, observations, first_movement_detected):
        self.did.append("query")
        return super()._make_query(observations, first_movement_detected)

    def _threshold_possible_matches(self, *args):
        self.did.append("threshold")
        return super()._threshold_possible_matches(*args)


class WholeUpdate(Logging):
    def _update_possible_matches(self, ctx, query):
        self.did.append("before update")
        super()._update_possible_matches(ctx, query)
        self.did.append("after update")


class WholeCompute(WholeUpdate):
    def _compute_possible_matches(self, ctx, observations, **keywords):
        self.did.append("before compute")
        super()._compute_possible_matches(ctx, observations, **keywords)
        self.did.append("after compute")


class WholeStepMixin:
    def matching_step(self, ctx, percepts):
        self.did.append("before step")
        super().matching_step(ctx, percepts)
        self.did.append("after step")


class WholeStep(WholeStepMixin, WholeCompute):
    pass


class HalvesOnTop(WholeUpdate):
    def dispatch_matching_step(self, ctx, percepts):
        self.did.append("dispatch step")
        return super().dispatch_matching_step(ctx, percepts)

    def process_matching_step(self, pending):
        super().process_matching_step(pending)
        self.did.append("process step")


class HalvesOfComputeOnTop(WholeUpdate):
    def _dispatch_compute_possible_matches(self, ctx, observations, **keywords):
        self.did.append("dispatch compute")
        return super()._dispatch_compute_possible_matches(ctx, observations, **keywords)

    def _process_compute_possible_matches(self, work):
        super()._process_compute_possible_matches(work)
        self.did.append("process compute")


class WholeComputeOnTop(HalvesOfComputeOnTop):
    def _compute_possible_matches(self, ctx, observations, **keywords):
        self.did.append("before compute")
        super()._compute_possible_matches(ctx, observations, **keywords)
        self.did.append("after compute")


class OnlyHalves(Logging):
    def _process_update_possible_matches(self, work):
        super()._process_update_possible_matches(work)
        self.did.append("processed update")


PLAIN = ["query", "threshold"]
UPDATE = ["query", "before update", "threshold", "after update"]
COMPUTE = ["before compute", *UPDATE, "after compute"]
HALVES_OF_COMPUTE = ["dispatch compute", *UPDATE, "process compute"]
EXPECTED = {
    Logging: PLAIN,
    OnlyHalves: [*PLAIN, "processed update"],
    WholeUpdate: UPDATE,
    WholeCompute: COMPUTE,
    WholeStep: ["before step", *COMPUTE, "after step"],
    HalvesOnTop: ["dispatch step", *UPDATE, "process step"],
    HalvesOfComputeOnTop: HALVES_OF_COMPUTE,
    WholeComputeOnTop: ["before compute", *HALVES_OF_COMPUTE, "after compute"],
}


class Monty:
    """Steps learning modules as a Monty does."""

    def __init__(self, *lms) -> None:
        self.lms = lms
        self.backend = SharedBackend(ReferenceBackend())
        for lm in lms:
            lm.use_backend(self.backend)

    def step(self, percept) -> None:
        self.dispatch(percept).process()

    def dispatch(self, percept) -> HonouringLMSteps:
        steps = HonouringLMSteps(self.lms, "matching_step", self.backend)
        for i in steps.each([tuple(range(len(self.lms)))]):
            steps.dispatch(i, CONTEXT, [percept])
        return steps


class HonouredOverridesTest(unittest.TestCase):
    def test_an_override_runs_once_and_in_order_in_either_form(self) -> None:
        percept = percepts_of(1)[0]
        for lm_class, expected in EXPECTED.items():
            with self.subTest(lm_class.__name__):
                whole, in_monty = learned_lm(lm_class), learned_lm(lm_class)
                whole.matching_step(CONTEXT, [percept])
                Monty(in_monty).step(percept)
                self.assertEqual(whole.did, expected)
                self.assertEqual(in_monty.did, expected)
                for graph_id, hypotheses in whole._hypotheses.items():
                    np.testing.assert_array_equal(
                        in_monty._hypotheses[graph_id].evidence, hypotheses.evidence
                    )

    def test_a_whole_step_does_not_start_while_dispatching(self) -> None:
        lm = learned_lm(WholeStep)
        monty = Monty(lm)
        steps = monty.dispatch(percepts_of(1)[0])
        self.assertEqual(lm.did, [])
        steps.process()
        self.assertEqual(lm.did, EXPECTED[WholeStep])
        self.assertEqual(monty.backend.stepped_whole, {"LM_0": 1})

    def test_a_step_set_on_the_instance_is_run(self) -> None:
        lm = learned_lm()
        lm.matching_step = Mock()
        percept = percepts_of(1)[0]
        steps = Monty(lm).dispatch(percept)
        lm.matching_step.assert_not_called()
        steps.process()
        lm.matching_step.assert_called_once_with(CONTEXT, [percept])

    def test_a_proxy_keeps_its_own_step(self) -> None:
        class StandsIn:
            def __init__(self, lm) -> None:
                self._lm = lm

            def matching_step(self, ctx, percepts) -> None:
                self._lm.did.append("stands in")
                self._lm.matching_step(ctx, percepts)

            def __getattr__(self, name):
                return getattr(self._lm, name)

        lm = learned_lm(Logging)
        Monty(StandsIn(lm)).step(percepts_of(1)[0])
        self.assertEqual(lm.did, ["stands in", *PLAIN])

    def test_overriding_halves_of_an_overridden_whole_is_refused(self) -> None:
        class Mixed(WholeUpdate):
            def _process_update_possible_matches(self, work):
                super()._process_update_possible_matches(work)

        with self.assertRaisesRegex(
            MixedOverrides, "Mixed overrides halves.*WholeUpdate the whole: give"
        ):
            learned_lm(Mixed)
