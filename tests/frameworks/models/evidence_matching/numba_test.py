# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The numba backend does what the learning modules' own update does."""

from __future__ import annotations

import copy
import pickle
import unittest

import numpy as np

from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.failures import CannotRun
from tbp.monty.backends.hypotheses import StaleHypotheses
from tbp.monty.backends.numpy.numbers import UnusableNumbers
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
    BurstSamplingHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
    DefaultHypothesesUpdater,
)
from tests.frameworks.models.evidence_matching.learned import learned_lm, percepts_of
from tests.frameworks.models.evidence_matching.numpy_test import SameRunsTestCase
from tests.frameworks.models.evidence_matching.two_phase_test import (
    CustomUpdater,
    monty_of,
    step,
)

CLOSE = 1e-12


class NumbaTestCase(unittest.TestCase):
    def make_backend(self):
        """Return the backend that is tested, or its name."""
        return "numba"

    def montys(self, count: int = 2, **settings) -> list:
        """Return two Montys that differ only in their backends."""
        return [
            monty_of(
                *(learned_lm(lm_id=f"LM_{i}", **settings) for i in range(count)),
                backend=backend,
            )
            for backend in ("reference", self.make_backend())
        ]

    def assert_same(self, reference, numba) -> None:
        for one, other in zip(
            reference.learning_modules, numba.learning_modules, strict=True
        ):
            self.assertEqual(set(one._hypotheses), set(other._hypotheses))
            for name in ("graph_id", "mlh_id"):
                self.assertEqual(one.current_mlh[name], other.current_mlh[name])
            self.assertEqual(one.get_possible_matches(), other.get_possible_matches())
            for graph_id in one._hypotheses:
                self.assert_same_telemetry(
                    one.hypotheses_updater_telemetry[graph_id],
                    other.hypotheses_updater_telemetry[graph_id],
                )
        self.assert_same_hypotheses(reference, numba)

    def assert_same_hypotheses(self, reference, numba) -> None:
        for one, other in zip(
            reference.learning_modules, numba.learning_modules, strict=True
        ):
            for graph_id, hypotheses in one._hypotheses.items():
                for name in ("evidence", "locations", "poses", "possible"):
                    np.testing.assert_allclose(
                        getattr(other._hypotheses[graph_id], name),
                        getattr(hypotheses, name),
                        rtol=CLOSE,
                        atol=CLOSE,
                    )

    def assert_same_telemetry(self, one: dict, other: dict) -> None:
        self.assertEqual(list(one), list(other))
        for name, value in one.items():
            if isinstance(value, dict):
                self.assert_same_telemetry(value, other[name])
            elif value is None:
                self.assertIsNone(other[name])
            else:
                np.testing.assert_allclose(other[name], value, rtol=CLOSE, atol=CLOSE)

    def assert_same_runs(self, percepts=None, **settings) -> None:
        reference, numba = self.montys(**settings)
        for percept in percepts or percepts_of(1) + percepts_of(0):
            for monty in (reference, numba):
                step(monty, [percept, percept])
            self.assert_same(reference, numba)
        self.assertGreater(numba.backend.ran["LM_1"], 5)
        self.assertEqual(numba.backend.ran, reference.backend.ran)
        for monty in (reference, numba):
            monty.close()
        # The hypotheses outlive the backend.
        self.assert_same(reference, numba)


class SameAsReferenceTest(NumbaTestCase, SameRunsTestCase):
    __test__ = True

    def test_without_learned_objects(self) -> None:
        for updater in (DefaultHypothesesUpdater, BurstSamplingHypothesesUpdater):
            with self.subTest(updater.__name__):
                self.assert_same_runs(objects=0, hypotheses_updater_class=updater)

    def test_an_object_that_was_never_sensed_this_way(self) -> None:
        for updater in (DefaultHypothesesUpdater, BurstSamplingHypothesesUpdater):
            with self.subTest(updater.__name__):
                montys = self.montys(objects=3, hypotheses_updater_class=updater)
                for lm in [lm for monty in montys for lm in monty.learning_modules]:
                    memory = lm.graph_memory
                    for stored in (memory.models_in_memory, memory.feature_array):
                        stored["new_object0"] = {
                            "elsewhere": stored["new_object0"]["patch"]
                        }
                for percept in percepts_of(1):
                    for monty in montys:
                        step(monty, [percept, percept])
                    self.assert_same(*montys)
                for lm in montys[1].learning_modules:
                    first, *_ = lm._hypotheses.items()
                    self.assertEqual((first[0], first[1].count), ("new_object0", 0))

    def test_one_episode_after_the_other(self) -> None:
        for updater in (DefaultHypothesesUpdater, BurstSamplingHypothesesUpdater):
            with self.subTest(updater.__name__):
                reference, numba = self.montys(hypotheses_updater_class=updater)
                for shape in (1, 0, 1):
                    for monty in (reference, numba):
                        for lm in monty.learning_modules:
                            lm.reset_stm()
                            lm.fixme_reset_ground_truth()
                        for percept in percepts_of(shape)[:7]:
                            step(monty, [percept, percept])
                    self.assert_same(reference, numba)


class SharedStateTest(NumbaTestCase):
    """Changes that others make to hypotheses between steps take effect."""

    def setUp(self) -> None:
        self.both = self.montys()
        for percept in percepts_of(1)[:3]:
            self.step(percept)

    def step(self, percept) -> None:
        for monty in self.both:
            step(monty, [percept, percept])

    def each_lm(self):
        return [lm for monty in self.both for lm in monty.learning_modules]

    def test_votes(self) -> None:
        for lm in self.each_lm():
            hypotheses = lm._hypotheses["new_object0"]
            hypotheses.evidence = np.ma.array(hypotheses.evidence + 0.5, mask=False)
        self.step(percepts_of(1)[3])
        self.assert_same(*self.both)

    def test_possible_hypotheses(self) -> None:
        for lm in self.each_lm():
            lm._hypotheses["new_object1"].possible[:5] = True
        self.step(percepts_of(1)[3])
        self.assert_same(*self.both)
        self.assertEqual(
            self.both[1].learning_modules[0]._hypotheses["new_object1"].possible.sum(),
            5,
        )

    def test_the_highest_evidence_follows_changed_hypotheses(self) -> None:
        def assign(lm) -> None:
            kept = lm._hypotheses["new_object1"]
            evidence = kept.evidence.copy()
            evidence[3] = 40.0
            kept.evidence = evidence

        def put_in_the_place(lm) -> None:
            kept = lm._hypotheses["new_object0"]
            kept.evidence = kept.evidence - 50.0

        def replace(lm) -> None:
            lm._hypotheses["new_object0"] = copy.copy(lm._hypotheses["new_object1"])

        def forget(lm) -> None:
            lm._hypotheses["new_object1"] = Hypotheses.empty()

        for change in (lambda _: None, assign, put_in_the_place, replace, forget):
            for lm in self.each_lm():
                change(lm)
            found = [lm.evidence_for_each_graph() for lm in self.each_lm()]
            graph_ids, highest = found[0]
            for other_ids, other_highest in found[1:]:
                self.assertEqual(other_ids, graph_ids)
                np.testing.assert_allclose(other_highest, highest, rtol=CLOSE)
                self.assertIs(type(other_highest), np.ndarray)

    def test_steps_with_a_location_only(self) -> None:
        moved = percepts_of(1)[5]
        moved.process_features_in_lm = False
        self.step(moved)
        self.step(percepts_of(1)[6])
        self.assert_same(*self.both)

    def test_nothing_is_lost_when_some_hypotheses_cannot_be_read(self) -> None:
        class Unreadable:
            @property
            def evidence(self):
                raise OSError("these are on another machine")

        first, second = self.both[1].learning_modules
        # Only these have been read among those taken back before the failure.
        for hypotheses in first._hypotheses.values():
            hypotheses.evidence = hypotheses.evidence + 0.5
        for hypotheses in self.both[0].learning_modules[0]._hypotheses.values():
            hypotheses.evidence = hypotheses.evidence + 0.5
        before = second._hypotheses["new_object1"]
        second._hypotheses["new_object1"] = Unreadable()
        with self.assertRaisesRegex(OSError, "another machine"):
            step(self.both[1], [percepts_of(1)[3]] * 2)
        second._hypotheses["new_object1"] = before
        self.assert_same_hypotheses(*self.both)

    def test_what_was_read_cannot_be_written_to(self) -> None:
        hypotheses = self.both[1].learning_modules[0]._hypotheses["new_object1"]
        for name in ("evidence", "locations", "poses"):
            with self.assertRaisesRegex(ValueError, "read-only"):
                getattr(hypotheses, name)[0] = 0.0

    def test_copies_have_plain_arrays(self) -> None:
        hypotheses = self.both[1].learning_modules[0]._hypotheses["new_object1"]
        for copied in (
            copy.deepcopy(hypotheses),
            pickle.loads(pickle.dumps(hypotheses)),  # noqa: S301
        ):
            self.assertIs(type(copied), HypothesisRows)
            self.assertTrue(copied.evidence.flags.writeable)
            np.testing.assert_array_equal(copied.poses, hypotheses.poses)

    def test_values_read_on_a_step_do_not_change_later(self) -> None:
        lm = self.both[1].learning_modules[0]
        kept = lm._hypotheses["new_object1"]
        evidence = kept.evidence
        mlh, before = (
            lm.current_mlh,
            (lm.current_mlh["location"].copy(), evidence.copy()),
        )
        self.step(percepts_of(1)[4])
        np.testing.assert_array_equal(mlh["location"], before[0])
        np.testing.assert_array_equal(evidence, before[1])
        # The hypotheses themselves are those of now, as long as the episode lasts.
        self.assertIs(lm._hypotheses["new_object1"], kept)
        self.assertFalse(np.array_equal(kept.evidence, evidence))

    def test_hypotheses_of_a_former_episode_are_refused(self) -> None:
        lm = self.both[1].learning_modules[0]
        kept = lm._hypotheses["new_object1"]
        for one in self.each_lm():
            one.reset_stm()
        self.step(percepts_of(1)[4])
        with self.assertRaisesRegex(StaleHypotheses, "former episode"):
            copy.copy(kept)


class RefusalTest(NumbaTestCase):
    def test_unusable_input_is_an_error_that_names_learning_module_and_graph(
        self,
    ) -> None:
        monty = monty_of(
            *(learned_lm(lm_id=f"LM_{i}") for i in range(2)),
            backend=self.make_backend(),
        )
        self.addCleanup(monty.close)
        first, second, third, *_ = percepts_of(1)
        step(monty, [first, first])
        lm = monty.learning_modules[1]
        before = lm._hypotheses["new_object0"].evidence.copy()
        broken = copy.deepcopy(second)
        broken.location = np.array([np.nan, 0.0, 0.0])
        with self.assertRaisesRegex(UnusableNumbers, "LM_1.*new_object0") as caught:
            step(monty, [second, broken])
        self.assertIn("LM_1", caught.exception.__notes__[0])
        np.testing.assert_array_equal(lm._hypotheses["new_object0"].evidence, before)
        # The other one has been stepped, and continues.
        self.assertEqual(monty.backend.ran, {"LM_0": 2, "LM_1": 1})
        lm.reset_stm()
        step(monty, [third, third])

    def test_a_custom_updater_runs_alone_and_the_summary_tells_why(self) -> None:
        lm = learned_lm(hypotheses_updater_class=CustomUpdater)
        monty = monty_of(lm, backend=self.make_backend())
        self.addCleanup(monty.close)
        step(monty, percepts_of(1)[:1])
        self.assertEqual(monty.backend.ran_alone, {"LM_0": 1})
        self.assertIn("CustomUpdater", monty.backend.summary())

    def test_more_neighbours_than_supported_are_refused(self) -> None:
        lm = learned_lm(hypotheses_updater_args=dict(max_nneighbors=65))
        monty = monty_of(lm, backend=self.make_backend())
        self.addCleanup(monty.close)
        with self.assertRaisesRegex(CannotRun, "max_nneighbors is 65"):
            step(monty, percepts_of(1)[:1])

    def test_an_empty_memory_is_no_work(self) -> None:
        monty = monty_of(learned_lm(objects=0), backend=self.make_backend())
        self.addCleanup(monty.close)
        step(monty, percepts_of(1)[:1])
        self.assertEqual(monty.learning_modules[0].terminal_state, "no_match")
