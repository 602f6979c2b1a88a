# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import sys
import unittest
from unittest.mock import Mock

import numpy as np

from tbp.monty.backends.builtin.reference import ReferenceBackend
from tbp.monty.backends.shared import SharedBackend
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
    DefaultHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)
from tbp.monty.frameworks.models.honoured_overrides import (
    MixedOverrides,
    dispatch_honoured_step,
    process_honoured_step,
)
from tbp.monty.frameworks.models.lm_backend import share_backend
from tbp.monty.frameworks.models.pending_step import PendingStep
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
        share_backend(lms, self.backend)

    def step(self, percept) -> None:
        self.process(self.dispatch(percept))

    def dispatch(self, percept) -> list[PendingStep]:
        return [
            dispatch_honoured_step(
                self.backend, lm, "matching_step", CONTEXT, [percept]
            )
            for lm in self.lms
        ]

    def process(self, pending: list[PendingStep]) -> None:
        for lm, one in zip(self.lms, pending, strict=True):
            process_honoured_step(lm, "matching_step", one)


class OwnUpdate(EvidenceGraphLM):
    def _update_evidence(self, features, displacement, graph_id):
        super()._update_evidence(features, displacement, graph_id)
        self._hypotheses[graph_id].evidence[:] += 1.0


class WithoutHalves:
    """An updater as upstream's protocol was before it had halves."""

    def __init__(self, **arguments) -> None:
        self._own = DefaultHypothesesUpdater(**arguments)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def reset(self):
        self._own.reset()

    def displace_hypotheses(self, hypotheses, displacement, graph_id):
        return self._own.displace_hypotheses(hypotheses, displacement, graph_id)

    def update_evidence(self, **arguments):
        return self._own.update_evidence(**arguments)


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
        pending = monty.dispatch(percepts_of(1)[0])
        self.assertEqual(lm.did, [])
        monty.process(pending)
        self.assertEqual(lm.did, EXPECTED[WholeStep])
        self.assertEqual(monty.backend.ran_alone, {"LM_0": 1})

    def test_a_step_set_on_the_instance_is_run(self) -> None:
        lm = learned_lm()
        lm.matching_step = Mock()
        percept = percepts_of(1)[0]
        monty = Monty(lm)
        pending = monty.dispatch(percept)
        lm.matching_step.assert_not_called()
        monty.process(pending)
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


class UpdatedAloneTest(unittest.TestCase):
    """What no backend can run is run as upstream does, and the summary says why."""

    def evidence(self, lm, steps: int = 3) -> list[float]:
        self.monty = Monty(lm)
        found = []
        for percept in percepts_of(1)[:steps]:
            self.monty.step(percept)
            found.append(lm.current_mlh["evidence"])
        return found

    def assert_summary(self, reason: str, steps: int = 3) -> None:
        summary = self.monty.backend.summary()
        self.assertIn(f"without a backend: {steps} steps (LM_0: {steps})", summary)
        self.assertIn(f"LM_0 {reason}", summary)
        self.assertIn("ran 0 evidence updates", summary)

    def test_an_update_of_its_own(self) -> None:
        plain = self.evidence(learned_lm())
        for threads in (True, False):
            with self.subTest(threads=threads):
                own = self.evidence(learned_lm(OwnUpdate, use_multithreading=threads))
                np.testing.assert_allclose(own, np.add(plain, [1, 2, 3]))
                self.assert_summary("has its own _update_evidence")

    def test_an_update_set_on_the_instance(self) -> None:
        lm = learned_lm()
        update, updated = lm._update_evidence, []

        def own(features, displacement, graph_id) -> None:
            updated.append(graph_id)
            update(features, displacement, graph_id)

        lm._update_evidence = own  # type: ignore[method-assign]
        self.assertEqual(self.evidence(lm), self.evidence(learned_lm()))
        self.assertEqual(len(updated), 6)

    def test_an_updater_without_halves(self) -> None:
        lm = learned_lm(hypotheses_updater_class=WithoutHalves)
        found = self.evidence(lm)
        self.assert_summary("has a WithoutHalves, which has no halves")
        self.assertEqual(found, self.evidence(learned_lm()))


class FailureTest(unittest.TestCase):
    def test_an_error_names_its_learning_module(self) -> None:
        for method, phase in {
            "_make_query": "dispatching",
            "_threshold_possible_matches": "processing",
        }.items():
            with self.subTest(phase):
                lms = [learned_lm(lm_id=f"LM_{i}") for i in range(2)]
                setattr(lms[1], method, Mock(side_effect=ValueError))
                with self.assertRaises(ValueError) as caught:
                    Monty(*lms).step(percepts_of(1)[0])
                if sys.version_info >= (3, 11):
                    [note] = caught.exception.__notes__
                    self.assertIn(f"{phase} the step of learning module LM_1", note)

    def test_the_log_names_the_learning_module_of_an_error_without_notes(self) -> None:
        class WithoutNotes(ValueError):
            @property
            def add_note(self):
                raise AttributeError

        lm = learned_lm()
        lm._make_query = Mock(side_effect=WithoutNotes)
        with self.assertLogs(level="ERROR") as logs, self.assertRaises(WithoutNotes):
            Monty(lm).step(percepts_of(1)[0])
        self.assertIn("learning module LM_0", logs.output[0])

    def test_a_dispatch_that_returns_nothing_does_not_end_the_step(self) -> None:
        class Skips(Logging):
            def _dispatch_compute_possible_matches(self, *_args, **_keywords):
                return None

            def _process_compute_possible_matches(self, pending):
                self.did.append(f"processed {pending}")
                self.possible_matches = []

        lm = learned_lm(Skips)
        lm.gsg = Mock()
        Monty(lm).step(percepts_of(1)[0])
        self.assertEqual(lm.did, ["processed None"])
        self.assertEqual(lm.terminal_state, "no_match")
        lm.gsg.step.assert_called_once()
        self.assertEqual(lm.buffer.stats["possible_matches"], [[]])
