# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Matching steps of learning modules in one Monty, whole and in halves."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np

from tbp.monty.backends import CannotRun, share_backend
from tbp.monty.frameworks.models.displacement_matching import DisplacementGraphLM
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
    BurstSamplingHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
    DefaultHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)
from tbp.monty.frameworks.models.graph_matching import MontyForGraphMatching
from tests.backends.shared_test import Choosy
from tests.frameworks.models.evidence_matching.learned import (
    CONTEXT,
    learned_lm,
    percepts_of,
)
from tests.frameworks.models.monty_arguments import monty_arguments


class CustomUpdater:
    """Has upstream's current protocol and nothing else."""

    def __init__(self, **arguments) -> None:
        self._own = DefaultHypothesesUpdater(**arguments)
        self.entered = 0

    def __enter__(self):
        self.entered += 1
        return self

    def __exit__(self, *_):
        self.entered -= 1

    def reset(self):
        self._own.reset()

    def displace_hypotheses(self, hypotheses, displacement, graph_id):
        return self._own.displace_hypotheses(hypotheses, displacement, graph_id)

    def update_evidence(self, **arguments):
        return self._own.update_evidence(**arguments)


class OverridesHalves(EvidenceGraphLM):
    def _dispatch_update_possible_matches(self, ctx, query):
        self.before = self.current_mlh
        return super()._dispatch_update_possible_matches(ctx, query)

    def _process_update_possible_matches(self, work):
        super()._process_update_possible_matches(work)
        self.after = self.current_mlh


class Stubborn:
    """A learning module of another family that can only be stepped whole."""

    learning_module_id = "stubborn"
    stepwise_target_object = None

    def __init__(self) -> None:
        self.steps = 0
        self.stepwise_targets_list: list = []

    def matching_step(self, _ctx, _percepts) -> None:
        self.steps += 1

    def add_lm_processing_to_buffer_stats(self, lm_processed) -> None:
        pass


def monty_of(*lms, **settings) -> MontyForGraphMatching:
    monty: Any = MontyForGraphMatching(**monty_arguments(lms, **settings))
    monty._set_stepwise_targets = lambda *_: None
    return monty


def step(monty: MontyForGraphMatching, percepts: list) -> None:
    monty.sensor_module_outputs = percepts
    monty._step_learning_modules(CONTEXT)


def state(lm: EvidenceGraphLM) -> dict:
    return {
        graph_id: [hypotheses.evidence, hypotheses.locations, hypotheses.poses]
        for graph_id, hypotheses in lm._hypotheses.items()
    }


class TwoPhaseTestCase(unittest.TestCase):
    def assert_same_state(self, one: EvidenceGraphLM, other: EvidenceGraphLM) -> None:
        np.testing.assert_equal(state(one), state(other))
        for name in ("graph_id", "mlh_id", "evidence"):
            self.assertEqual(one.current_mlh[name], other.current_mlh[name])
        self.assertEqual(one.get_possible_matches(), other.get_possible_matches())

    def assert_steps_as_alone(self, make, count: int = 2, **settings) -> None:
        """Compare learning modules stepped in a Monty with one stepped alone."""
        together = [make(f"LM_{i}") for i in range(count)]
        alone = [make(f"LM_{i}") for i in range(count)]
        monty = monty_of(*together, **settings)
        self.addCleanup(monty.close)
        for percept in percepts_of(1)[:5]:
            step(monty, [percept] * count)
            for lm in alone:
                lm.matching_step(CONTEXT, [percept])
        for i, lm in enumerate(together):
            self.assert_same_state(lm, alone[i])
        self.assertEqual(together[0].current_mlh["graph_id"], "new_object1")
        self.assertEqual(monty.backend.ran["LM_0"], 5)


class SameAsAloneTest(TwoPhaseTestCase):
    def test_default_updater_with_and_without_threads(self) -> None:
        for threads in (True, False):
            with self.subTest(threads=threads):
                self.assert_steps_as_alone(
                    lambda name, t=threads: learned_lm(lm_id=name, use_multithreading=t)
                )

    def test_burst_sampling(self) -> None:
        self.assert_steps_as_alone(
            lambda name: learned_lm(
                lm_id=name,
                hypotheses_updater_class=BurstSamplingHypothesesUpdater,
                hypotheses_updater_args=dict(sampling_multiplier=2),
            )
        )

    def test_a_custom_updater(self) -> None:
        self.assert_steps_as_alone(
            lambda name: learned_lm(lm_id=name, hypotheses_updater_class=CustomUpdater)
        )

    def test_overridden_halves(self) -> None:
        self.assert_steps_as_alone(lambda name: learned_lm(OverridesHalves, lm_id=name))

    def test_one_learning_module(self) -> None:
        self.assert_steps_as_alone(lambda name: learned_lm(lm_id=name), count=1)

    def test_groups_of_any_kind(self) -> None:
        for groups in ([[0], [1], [2]], [[0, 1, 2]], [[2, 0], [1]]):
            with self.subTest(groups):
                self.assert_steps_as_alone(
                    lambda name: learned_lm(lm_id=name), count=3, lm_groups=groups
                )


class TogetherTest(TwoPhaseTestCase):
    def test_different_families_in_one_monty(self) -> None:
        displacement = DisplacementGraphLM(k=5, match_attribute="displacement")
        displacement.learning_module_id = "displacement"
        displacement.reset_stm()
        displacement.fixme_reset_ground_truth()
        stubborn = Stubborn()
        evidence, alone = learned_lm(), learned_lm()
        monty = monty_of(evidence, displacement, stubborn)
        self.addCleanup(monty.close)
        for percept in percepts_of(1)[:3]:
            step(monty, [percept] * 3)
            alone.matching_step(CONTEXT, [percept])
        self.assert_same_state(evidence, alone)
        self.assertEqual(stubborn.steps, 3)
        self.assertEqual(len(displacement.buffer), 3)
        self.assertEqual(monty.backend.ran, {"LM_0": 3})
        self.assertEqual(monty.backend.stepped_whole, {"stubborn": 3})

    def test_a_learning_module_without_input_is_unchanged(self) -> None:
        lms = [learned_lm(lm_id=f"LM_{i}") for i in range(2)]
        monty = monty_of(*lms)
        self.addCleanup(monty.close)
        first, second, *_ = percepts_of(1)
        step(monty, [first, first])
        before = lms[1].current_mlh
        withheld = percepts_of(1)[1]
        withheld.pass_message = False
        step(monty, [second, withheld])
        self.assertIs(lms[1].current_mlh, before)
        self.assertEqual(monty.backend.ran, {"LM_0": 2, "LM_1": 1})

    def test_a_memory_without_objects(self) -> None:
        lm = learned_lm(objects=0)
        monty = monty_of(lm)
        self.addCleanup(monty.close)
        for percept in percepts_of(1)[:2]:
            step(monty, [percept])
        self.assertEqual(lm.terminal_state, "no_match")
        self.assertEqual(lm.current_mlh["graph_id"], "new_object0")


class FailureTest(TwoPhaseTestCase):
    def setUp(self) -> None:
        self.lms: list = [
            learned_lm(lm_id=f"LM_{i}", hypotheses_updater_class=CustomUpdater)
            for i in range(3)
        ]
        self.monty: Any = monty_of(*self.lms)
        self.addCleanup(self.monty.close)

    def assert_next_episode_runs(self) -> None:
        self.monty.backend.check_nothing_is_pending()
        self.assertEqual([lm.hypotheses_updater.entered for lm in self.lms], [0, 0, 0])
        alone = learned_lm(hypotheses_updater_class=CustomUpdater)
        for lm in self.lms:
            lm.reset_stm()
            lm.fixme_reset_ground_truth()
        for percept in percepts_of(0)[:3]:
            step(self.monty, [percept] * 3)
            alone.matching_step(CONTEXT, [percept])
        for lm in self.lms:
            self.assert_same_state(lm, alone)

    def assert_named(self, error: BaseException, lm_id: str) -> None:
        if hasattr(error, "__notes__"):  # from Python 3.11 on
            self.assertIn(lm_id, error.__notes__[0])

    def fail_once(self, method: str, error: BaseException) -> None:
        lm = self.lms[1]

        def failing(*_args, **_kwargs):
            delattr(lm, method)
            raise error

        setattr(lm, method, failing)

    def test_an_error_names_the_learning_module_and_the_next_episode_runs(self) -> None:
        for method, where in {
            "_add_displacements": "dispatching",
            "_threshold_possible_matches": "processing",
        }.items():
            with self.subTest(where):
                self.fail_once(method, ValueError(where))
                with self.assertRaisesRegex(ValueError, where) as caught:
                    step(self.monty, percepts_of(1)[:1] * 3)
                self.assert_named(caught.exception, "LM_1")
                self.assert_next_episode_runs()

    def test_an_error_in_the_update_of_a_graph_is_raised(self) -> None:
        updater = self.lms[1].hypotheses_updater
        updater._own = None
        with self.assertRaises(AttributeError) as caught:
            step(self.monty, percepts_of(1)[:1] * 3)
        self.assert_named(caught.exception, "LM_1")
        updater._own = self.lms[0].hypotheses_updater._own
        self.lms[1] = learned_lm(lm_id="LM_1", hypotheses_updater_class=CustomUpdater)
        self.monty.learning_modules[1] = self.lms[1]
        self.lms[1].use_backend(self.monty.backend)
        self.assert_next_episode_runs()

    def test_an_interrupt_is_raised_at_once(self) -> None:
        self.fail_once("_threshold_possible_matches", KeyboardInterrupt())
        with self.assertRaises(KeyboardInterrupt):
            step(self.monty, percepts_of(1)[:1] * 3)
        self.monty.backend.drain()
        self.assert_next_episode_runs()


class RefusedTest(unittest.TestCase):
    def test_a_backend_that_cannot_run_the_work_is_named(self) -> None:
        lm: Any = learned_lm(hypotheses_updater_class=CustomUpdater)
        monty = monty_of(lm)
        monty.backend = share_backend([lm], Choosy())
        with self.assertRaisesRegex(CannotRun, "LM_0: LM_0 is not to its taste"):
            step(monty, percepts_of(1)[:1])
        self.assertEqual(lm.hypotheses_updater.entered, 0)
