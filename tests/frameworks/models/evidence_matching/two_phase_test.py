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

    def test_a_memory_without_objects(self) -> None:
        lm = learned_lm(objects=0)
        monty = monty_of(lm)
        self.addCleanup(monty.close)
        for percept in percepts_of(1)[:2]:
            step(monty, [percept])
        self.assertEqual(lm.terminal_state, "no_match")
        self.assertEqual(lm.current_mlh["graph_id"], "new_object0")


class ReplacedTest(TwoPhaseTestCase):
    def test_learning_modules_that_join_or_replace_others_are_stepped(self) -> None:
        first, other, joining = (learned_lm(lm_id=f"LM_{i}") for i in range(3))
        monty = monty_of(first, first)
        self.addCleanup(monty.close)
        monty.learning_modules = [first, other, joining]
        monty.sm_to_lm_matrix = [[0], [1], [2]]
        alone = learned_lm()
        for percept in percepts_of(1)[:3]:
            step(monty, [percept] * 3)
            alone.matching_step(CONTEXT, [percept])
        for lm in monty.learning_modules:
            self.assert_same_state(lm, alone)
            self.assertIs(lm.hypotheses_updater.backend, monty.backend)


class SharedPerceptTest(TwoPhaseTestCase):
    def test_a_goal_generator_reads_the_displacement_of_its_own_module(self) -> None:
        """Two learning modules share a percept; one of them has come late."""
        read: dict[str, list] = {"LM_0": [], "LM_1": []}

        class Noting:
            def __init__(self, lm_id: str) -> None:
                self._lm_id = lm_id

            def step(self, _ctx, percepts) -> None:
                read[self._lm_id].append(percepts[0].displacement["displacement"])

            def reset(self) -> None:
                pass

        lms = [learned_lm(lm_id=lm_id) for lm_id in read]
        for lm in lms:
            lm.gsg = Noting(lm.learning_module_id)  # type: ignore[assignment]
        monty = monty_of(*lms)
        self.addCleanup(monty.close)
        monty.sm_to_lm_matrix = [[0], [0]]
        first, second, *_ = percepts_of(1)
        lms[0].matching_step(CONTEXT, [first])
        step(monty, [second])
        displacement = second.location - first.location
        np.testing.assert_array_equal(read["LM_0"][-1], displacement)
        np.testing.assert_array_equal(read["LM_1"][-1], np.zeros(3))


class FailureTest(TwoPhaseTestCase):
    def test_an_error_in_the_update_of_a_graph_is_raised(self) -> None:
        lm: Any = learned_lm(hypotheses_updater_class=CustomUpdater)
        lm.hypotheses_updater._own = None
        monty = monty_of(lm)
        self.addCleanup(monty.close)
        before = state(lm)
        with self.assertRaises(AttributeError):
            step(monty, percepts_of(1)[:1])
        np.testing.assert_equal(state(lm), before)
        self.assertEqual(lm.hypotheses_updater.entered, 0)

    def test_learning_modules_before_one_that_fails_finish_their_steps(self) -> None:
        lms = [learned_lm(lm_id=f"LM_{i}") for i in range(3)]
        alone = learned_lm()
        monty = monty_of(*lms)
        self.addCleanup(monty.close)

        def fail(*_args, **_keywords):
            raise ValueError

        lms[1]._make_query = fail  # type: ignore[method-assign]
        with self.assertRaises(ValueError):
            step(monty, percepts_of(1)[:1] * 3)
        alone.matching_step(CONTEXT, percepts_of(1)[:1])
        self.assert_same_state(lms[0], alone)
        self.assertEqual(lms[2]._hypotheses, {})
