# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import copy
import unittest
from typing import Any

import numpy as np

from tbp.monty.backends.builtin.cuda import CudaBackend
from tbp.monty.backends.builtin.numba import NumbaBackend
from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.failures import DeviceFault, OutOfDeviceMemory
from tbp.monty.backends.hypotheses import (
    StaleHypotheses,
    VotesForGraph,
    add_votes,
    displace,
    highest_slope,
    known_evidence,
    likely_hypotheses,
    most_likely,
    one_hypothesis,
    second_most_likely,
)
from tests.backends.cuda.faults import FailingStream, Faults
from tests.backends.cuda.host_device import HostStream
from tests.backends.groups_test import step
from tests.backends.scene_lms import COLUMNS, SceneLM

BY = np.array([0.01, 0.02, 0.03])
GROUP = [(0, 1)]


class ResidentTestCase(unittest.TestCase):
    """Hypotheses in tables of two backends, with numba and on a device."""

    kind = "burst_sampling"

    def setUp(self) -> None:
        self.faults = Faults()
        self.device = CudaBackend(lambda _: FailingStream(HostStream(), self.faults))
        self.each = [self.started(NumbaBackend()), self.started(self.device)]

    def started(self, backend: Any) -> list[SceneLM]:
        self.addCleanup(backend.close)
        lms = [SceneLM(number, self.kind) for number in range(2)]
        for _ in range(2):
            self.assertEqual(step(backend, lms, GROUP), [None, None])
        return lms

    @staticmethod
    def plain(lm: SceneLM) -> dict[str, Any]:
        return {graph: copy.copy(one) for graph, one in lm.hypotheses.items()}

    def assert_same(self, one: Any, other: Any) -> None:
        for name in COLUMNS:
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


class QuestionsTest(ResidentTestCase):
    """Plain hypotheses are answered for as those in a table are."""

    def test_tables_tell_what_arrays_tell(self) -> None:
        for lm, _ in self.each:
            graphs, highest = known_evidence(lm.hypotheses, [*lm.hypotheses])
            plain = self.plain(lm)
            self.assertEqual(graphs, [*lm.hypotheses])
            np.testing.assert_array_equal(
                highest, [one.evidence.max() for one in plain.values()]
            )
            for graph, arrays in plain.items():
                handle = lm.hypotheses[graph]
                best, second = most_likely(handle), second_most_likely(handle)
                self.assertEqual(best, most_likely(arrays))
                self.assertEqual(second, second_most_likely(arrays))
                for place in (best, second, 0, -1):
                    one, other = (one_hypothesis(h, place) for h in (handle, arrays))
                    np.testing.assert_equal(one._asdict(), other._asdict())

    def test_of_arrays_no_table_knows(self) -> None:
        lm = self.each[0][0]
        plain = self.plain(lm)
        self.assertIsNone(known_evidence(plain, [*plain]))
        self.assertIsNone(known_evidence(lm.hypotheses, ["another"]))
        self.assertIsNone(likely_hypotheses(plain, 0.0))
        mixed = {**lm.hypotheses, "object_0": plain["object_0"]}
        self.assertIsNone(likely_hypotheses(mixed, 0.0))
        self.assertIsNone(highest_slope({}))

    def test_the_highest_slope_is_that_of_all(self) -> None:
        for lm, _ in self.each:
            slopes = np.concatenate(
                [one.calculate_slopes() for one in lm.trackers.values()]
            )
            expected = slopes[np.isfinite(slopes)].max(initial=-np.inf)
            self.assertEqual(highest_slope(lm.trackers), expected)

    def test_what_is_told_cannot_be_changed_by_whoever_asked(self) -> None:
        lm = self.each[0][0]
        for _ in range(2):
            graphs, highest = known_evidence(lm.hypotheses, [*lm.hypotheses])
            np.testing.assert_array_equal(
                highest, [lm.hypotheses[one].evidence.max() for one in graphs]
            )
            graphs.pop()
            highest[:] = 0.0


class ChangesTest(ResidentTestCase):
    def test_what_is_assigned_is_there_at_once(self) -> None:
        for lm, other in self.each:
            one = lm.hypotheses["object_0"]
            before = copy.copy(other.hypotheses["object_0"])
            for name in ("evidence", "locations", "poses"):
                values = getattr(one, name) + 0.5
                setattr(one, name, values)
                np.testing.assert_array_equal(getattr(one, name), values)
            self.assertEqual(
                known_evidence(lm.hypotheses, ["object_0"])[1], one.evidence.max()
            )
            self.assert_same(other.hypotheses["object_0"], before)
            with self.assertRaisesRegex(ValueError, "other hypotheses instead"):
                one.evidence = np.zeros(one.count + 1)

    def test_flags_are_an_array_of_the_host(self) -> None:
        for backend, lms in zip((None, self.device), self.each, strict=True):
            one = lms[0].hypotheses["object_0"]
            self.faults.is_armed, calls = True, self.faults.calls
            one.possible[:2] = True
            self.faults.is_armed = False
            self.assertEqual(self.faults.calls, calls)
            self.assertEqual(one.possible.sum(), 2)
            self.assertEqual(len(one.possible), one.count)
            if backend is None:
                continue
            # A deleted hypothesis takes its flag with it.
            marked = one.poses[:2]
            for _ in range(6):
                step(backend, lms, GROUP)
                self.assertEqual(len(one.possible), one.count)
                for pose in one.poses[one.possible]:
                    self.assertTrue((marked == pose).all(axis=(1, 2)).any())

    def test_displacements_move_all_and_what_is_known_of_them(self) -> None:
        for lm, _ in self.each:
            before = {g: most_likely(one) for g, one in lm.hypotheses.items()}
            expected = {
                graph: one.locations + one.poses.dot(BY)
                for graph, one in lm.hypotheses.items()
            }
            self.assertEqual(displace(lm.hypotheses, BY), [])
            for graph, one in lm.hypotheses.items():
                np.testing.assert_array_equal(one.locations, expected[graph])
                best = most_likely(one)
                self.assertEqual(best, before[graph])
                np.testing.assert_array_equal(
                    one_hypothesis(one, best).location, expected[graph][best]
                )

    def test_what_no_table_has_is_left_to_others(self) -> None:
        lm = self.each[0][0]
        mixed = {**lm.hypotheses, "plain": copy.copy(lm.hypotheses["object_0"])}
        self.assertEqual(displace(mixed, BY), ["plain"])

    def test_votes_are_added_wherever_hypotheses_are(self) -> None:
        votes = VotesForGraph(np.zeros((1, 3)), np.ones(1), 1.0, False, 0.1)
        own = votes._replace(weights=np.ones_like)
        for lms in self.each:
            hypotheses = [lm.hypotheses["object_0"] for lm in lms]
            plain = copy.copy(hypotheses[0])
            weighed = copy.copy(hypotheses[1])
            add_votes([(hypotheses[0], votes), (plain, votes)])
            add_votes([(hypotheses[1], own), (weighed, own)])
            self.assert_same(hypotheses[0], plain)
            self.assert_same(hypotheses[1], weighed)


class LifeTest(ResidentTestCase):
    def test_handles_live_as_long_as_the_episode(self) -> None:
        lms = self.each[1]
        kept = dict(lms[0].hypotheses)
        step(self.device, lms, GROUP)
        for graph, one in kept.items():
            self.assertIs(lms[0].hypotheses[graph], one)
        lms[0].hypotheses.clear()
        lms[0].trackers.clear()
        step(self.device, lms, GROUP)
        for one in kept.values():
            with self.assertRaises(StaleHypotheses):
                copy.copy(one)

    def test_after_the_end_they_have_their_arrays_themselves(self) -> None:
        for lms in self.each:
            before = [lm.beliefs() for lm in lms]
            handles = [*lms[0].hypotheses.values()]
            for backend in (self.device,):
                backend.close()
            if lms is self.each[1]:
                np.testing.assert_equal([lm.beliefs() for lm in lms], before)
                for one in handles:
                    self.assertIsNone(one.owner)
                    self.assertIs(type(copy.copy(one)), HypothesisRows)

    def test_closing_in_the_middle_of_a_step_leaves_what_was_before(self) -> None:
        lms = self.each[1]
        before = [lm.beliefs() for lm in lms]
        for lm in lms:
            self.device.dispatch(lm.next_work())
        self.device.launch(GROUP[0])
        self.device.close()
        np.testing.assert_equal([lm.beliefs() for lm in lms], before)

    def test_reading_in_the_middle_of_a_step_waits_for_it(self) -> None:
        lms = self.each[1]
        works = [lm.next_work() for lm in lms]
        for work in works:
            self.device.dispatch(work)
        self.device.launch(GROUP[0])
        found = [copy.copy(lm.hypotheses["object_0"]) for lm in lms]
        for lm, work, one in zip(lms, works, found, strict=True):
            lm.take(self.device.result(work))
            self.assert_same(lm.hypotheses["object_0"], one)


class FailureTest(ResidentTestCase):
    """A device fails once while hypotheses are read or changed."""

    def failing(self, error: type[BaseException]) -> None:
        self.faults.calls, self.faults.fails_at = 0, 0
        self.faults.error, self.faults.is_armed = error, True

    def test_is_raised_where_nobody_takes_over(self) -> None:
        one = self.each[1][0].hypotheses["object_0"]
        before = copy.copy(one)
        self.failing(DeviceFault)
        with self.assertRaises(DeviceFault):
            copy.copy(one)
        self.assert_same(one, before)

    def test_leaves_hypotheses_to_their_learning_modules_under_auto(self) -> None:
        stack, *_ = self.device._stacks.values()
        stack.may_be_left = True
        expected = [copy.copy(lm.hypotheses["object_0"]) for lm in self.each[1]]
        one = self.each[1][0].hypotheses["object_0"]
        self.failing(OutOfDeviceMemory)
        np.testing.assert_array_equal(one.evidence, expected[0].evidence)
        for lm, before in zip(self.each[1], expected, strict=True):
            self.assert_same(lm.hypotheses["object_0"], before)
            self.assertIsNone(lm.hypotheses["object_0"].owner)
        step(self.device, self.each[1], GROUP)
        self.assertIsNotNone(self.each[1][0].hypotheses["object_0"].owner)


if __name__ == "__main__":
    unittest.main()
