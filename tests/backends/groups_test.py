# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The groups decide what runs in one launch; they do not change the results."""

from __future__ import annotations

import gc
import unittest
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np

from tbp.monty import backends
from tbp.monty.backends import LMGroup
from tbp.monty.backends import numba as numba_kernels
from tbp.monty.backends.builtin.null import NullBackend
from tbp.monty.backends.builtin.numba import NumbaBackend
from tbp.monty.backends.numpy.numbers import UnusableNumbers
from tbp.monty.backends.stacked.backend import StackedBackend
from tests.backends.scene_lms import SceneLM

KINDS = ("default", "burst_sampling")
LMS, STEPS = 5, 8
ONE = [(0, 1, 2, 3, 4)]
EACH = [(0,), (1,), (2,), (3,), (4,)]
MIXED = [(0, 1), (2, 3, 4)]
OTHERS = [(0, 4), (1, 2), (3,)]


def lms_of(*kinds: str) -> list[SceneLM]:
    """Return learning modules with updaters of these kinds, in turn."""
    return [SceneLM(i, kinds[i % len(kinds)]) for i in range(LMS)]


def step(backend, lms: Sequence[SceneLM], groups: Sequence[LMGroup]) -> list:
    """Step learning modules; return what the work of each raised."""
    works: dict[int, Any] = {}
    for group in groups:
        for i in group:
            works[i] = lms[i].next_work()
            backend.dispatch(works[i])
        backend.launch(group)
    return [_raised(backend, works[i], lms[i]) for i in sorted(works)]


def _raised(backend, work, lm: SceneLM) -> Exception | None:
    try:
        lm.take(backend.result(work))
    except Exception as error:  # noqa: BLE001
        return error
    return None


class CountingKernels:
    """The kernels of a module, with a count of their updates."""

    def __init__(self, kernels) -> None:
        self.kernels = kernels
        self.updates = 0
        self.result: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kernels, name)

    def update(self, *arguments):
        self.updates += 1
        self.result = self.kernels.update(*arguments)
        return self.result


class NumbaGroupsTestCase(unittest.TestCase):
    backend_class: type[StackedBackend] = NumbaBackend
    kernels = numba_kernels

    def make_backend(self) -> StackedBackend:
        kernels = CountingKernels(self.kernels)
        with patch.object(backends, self.backend_class.name, kernels):
            backend = self.backend_class()
        self.addCleanup(backend.close)
        self.counting = kernels
        self.updates: Callable[[], int] = lambda: kernels.updates
        return backend

    def run_steps(
        self, kinds: Sequence[str], groups_of_steps: Sequence, *, read: bool = True
    ) -> list:
        """Run steps; return the beliefs after each step, or after the last only."""
        backend, lms = self.make_backend(), lms_of(*kinds)
        found = []
        for groups in groups_of_steps:
            self.assertEqual(step(backend, lms, groups), [None] * LMS)
            if read:
                found.append([lm.beliefs() for lm in lms])
        return found or [[lm.beliefs() for lm in lms]]


class SameBitsTest(NumbaGroupsTestCase):
    def test_for_any_grouping(self) -> None:
        for kind in KINDS:
            expected = self.run_steps([kind], [ONE] * STEPS)
            for groups in (EACH, MIXED, OTHERS):
                with self.subTest(kind=kind, groups=groups):
                    found = self.run_steps([kind], [groups] * STEPS)
                    np.testing.assert_equal(found, expected)

    def test_when_groups_change_from_step_to_step(self) -> None:
        changing = [ONE, ONE, MIXED, MIXED, EACH, OTHERS, OTHERS, OTHERS]
        for kind in KINDS:
            for read in (True, False):
                with self.subTest(kind=kind, read=read):
                    expected = self.run_steps([kind], [ONE] * STEPS, read=read)
                    found = self.run_steps([kind], changing, read=read)
                    np.testing.assert_equal(found, expected)

    def test_with_updaters_of_both_kinds_in_one_group(self) -> None:
        expected = self.run_steps(KINDS, [EACH] * STEPS)
        np.testing.assert_equal(self.run_steps(KINDS, [ONE] * STEPS), expected)

    def test_hypotheses_are_added_and_removed(self) -> None:
        # Otherwise these tests would compare little.
        beliefs = self.run_steps(["burst_sampling"], [ONE] * STEPS)
        counts = [len(of_lms[0]["evidence of object_0"]) for of_lms in beliefs]
        self.assertGreater(max(counts), counts[0])
        self.assertLess(counts[-1], max(counts))


class LaunchesTest(NumbaGroupsTestCase):
    def test_each_group_is_one_launch(self) -> None:
        for kind in KINDS:
            for groups in (ONE, EACH, MIXED):
                with self.subTest(kind=kind, groups=groups):
                    backend, lms = self.make_backend(), lms_of(kind)
                    for _ in range(STEPS):
                        step(backend, lms, groups)
                    self.assertEqual(
                        backend.launches, Counter(dict.fromkeys(groups, STEPS))
                    )
                    self.assertEqual(self.updates(), len(groups) * STEPS)

    def test_updaters_of_two_kinds_are_two_launches(self) -> None:
        backend = self.make_backend()
        step(backend, lms_of(*KINDS), ONE)
        self.assertEqual(backend.launches, {ONE[0]: 2})

    def test_the_summary_of_a_run_has_groups_and_launches(self) -> None:
        backend, lms = self.make_backend(), lms_of("default")
        for _ in range(3):
            step(backend, lms, MIXED)
        self.assertIn("2 groups, 6 launches", backend.note())

    def test_a_group_runs_when_it_is_launched(self) -> None:
        backend, lms = self.make_backend(), lms_of("default")
        works = [lm.next_work() for lm in lms]
        for work in works[:2]:
            backend.dispatch(work)
        self.assertEqual(self.updates(), 0)
        backend.launch(MIXED[0])
        for work in works[2:]:
            backend.dispatch(work)
        self.assertEqual(self.updates(), 1)
        # What was not launched runs alone when its result is requested.
        backend.result(works[4])
        self.assertEqual(self.updates(), 2)
        for work in works[:2]:
            backend.result(work)
        self.assertEqual(self.updates(), 2)

    def test_a_learning_module_that_steps_alone_stays_in_its_group(self) -> None:
        backend, lms = self.make_backend(), lms_of("default")
        step(backend, lms, MIXED)
        for i in (3, 1):
            work = lms[i].next_work()
            backend.dispatch(work)
            backend.result(work)
        self.assertEqual(backend.launches, {MIXED[0]: 2, MIXED[1]: 2})

    def test_learning_modules_outside_of_a_monty_need_no_group(self) -> None:
        backend, lms = self.make_backend(), lms_of("default")
        works = [lm.next_work() for lm in lms]
        for work in works:
            backend.dispatch(work)
        for work in works:
            backend.result(work)
        self.assertEqual(backend.launches, {(): len(works)})


class HandedOverTest(NumbaGroupsTestCase):
    def test_an_engine_may_use_its_results_again(self) -> None:
        backend = self.make_backend()
        step(backend, lms_of("default"), ONE)
        (stack,) = backend._stacks.values()
        before = stack.table.highest.copy()
        self.counting.result.highest[:] = 1e6
        np.testing.assert_array_equal(stack.table.highest, before)


class FaultTest(NumbaGroupsTestCase):
    def run_with_fault(self, spoil: Callable[[SceneLM], None]) -> list:
        """Run steps; learning module 2 is spoiled on the third.

        Returns:
            What the works of that step raised.
        """
        undisturbed = self.run_steps(["default"], [MIXED] * STEPS)[-1]
        self.backend, lms = self.make_backend(), lms_of("default")
        raised: list = []
        for count in range(STEPS):
            if count == 2:
                spoil(lms[2])
            errors = step(self.backend, lms, MIXED)
            if count == 2:
                raised = errors
                del lms[2].next_work
        for i in MIXED[0]:
            self.assertIsNone(raised[i])
            np.testing.assert_equal(lms[i].beliefs(), undisturbed[i])
        self.others = [(lms[i].beliefs(), undisturbed[i]) for i in (3, 4)]
        return raised

    def test_unusable_input_is_an_error_of_one_learning_module(self) -> None:
        def spoil(lm: SceneLM) -> None:
            work = lm.next_work()
            work.describe().displacement[:] = np.nan
            lm.next_work = lambda: work

        raised = self.run_with_fault(spoil)
        self.assertIsInstance(raised[2], UnusableNumbers)
        self.assertEqual(raised[3:], [None, None])
        for found, expected in self.others:
            np.testing.assert_equal(found, expected)
        # The group is launched together and fails; then its modules one by one.
        self.assertEqual(self.backend.launches, {MIXED[0]: STEPS, MIXED[1]: STEPS + 3})

    def test_what_was_raised_is_not_kept(self) -> None:
        backend, lms = self.make_backend(), lms_of("default")
        step(backend, lms, ONE)
        work = lms[0].next_work()
        work.describe().displacement[:] = np.nan
        backend.dispatch(work)
        error = _raised(backend, work, lms[0])
        assert isinstance(error, UnusableNumbers)
        kept = weakref.ref(error)
        del error
        gc.collect()
        self.assertIsNone(kept())

    def test_a_fault_in_one_group_does_not_affect_the_others(self) -> None:
        def spoil(lm: SceneLM) -> None:
            work = lm.next_work()

            def fail(*_):
                del lm.nodes
                raise OSError("the memory is on another machine")

            lm.nodes, lm.revision = fail, lm.revision + 0.5
            lm.next_work = lambda: work

        raised = self.run_with_fault(spoil)
        self.assertEqual(len({id(error) for error in raised[2:]}), 1)
        self.assertIsInstance(raised[2], OSError)
        self.assertEqual(self.backend.launches, dict.fromkeys(MIXED, STEPS))


class NullGroupsTest(unittest.TestCase):
    def test_one_launch_is_counted_per_group_and_step(self) -> None:
        for groups in (ONE, EACH, MIXED):
            with self.subTest(groups=groups):
                backend, lms = NullBackend(), lms_of("default")
                for _ in range(STEPS):
                    self.assertEqual(step(backend, lms, groups), [None] * LMS)
                self.assertEqual(backend.launches, dict.fromkeys(groups, STEPS))
