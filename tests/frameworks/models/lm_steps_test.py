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
from typing import Any

from tbp.monty.backends import EvidenceWork, SharedBackend, WorkLeftPending
from tbp.monty.backends.builtin.reference import ReferenceBackend
from tbp.monty.frameworks.models.lm_steps import LMSteps
from tbp.monty.frameworks.models.pending_step import PendingStep
from tests.backends.shared_test import Noting

CONTEXT: Any = None
PERCEPTS: Any = "p"


class Updater:
    """Counts how often its context is entered and left."""

    def __init__(self) -> None:
        self.open = 0
        self.left_with: list[type | None] = []

    def __enter__(self):
        self.open += 1

    def __exit__(self, error_type, *_):
        self.open -= 1
        self.left_with.append(error_type)


class TwoPhaseLM:
    def __init__(self, lm_id: str, backend, log: list, fails_at: str = "") -> None:
        self.learning_module_id = lm_id
        self.backend = backend
        self.log = log
        self.fails_at = fails_at
        self.error: type[BaseException] = ValueError
        self.updater = Updater()

    def _at(self, phase: str) -> None:
        self.log.append((phase, self.learning_module_id))
        if self.fails_at == phase:
            raise self.error(f"{phase} failed")

    def matching_step(self, ctx, percepts) -> None:
        self.process_matching_step(self.dispatch_matching_step(ctx, percepts))

    def dispatch_matching_step(self, ctx, percepts) -> PendingStep:
        self._at("dispatch")
        work = EvidenceWork(
            lm_id=self.learning_module_id,
            graph_ids=("mug",),
            update_graph=lambda _: self._at("update"),
            in_threads=False,
            context=self.updater,
        )
        return PendingStep(ctx, percepts, self.backend.dispatch(work))

    def process_matching_step(self, pending: PendingStep) -> None:
        with self.backend.result(pending.work):
            self._at("process")


class WholeLM:
    learning_module_id = "whole"

    def __init__(self, log: list) -> None:
        self.log = log

    def matching_step(self, _ctx, percepts) -> None:
        self.log.append(("step", percepts))


class LMStepsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.log: list = []
        self.backend = SharedBackend(ReferenceBackend())
        self.addCleanup(self.backend.close)
        self.lms = [TwoPhaseLM(name, self.backend, self.log) for name in "abc"]

    def step(self, lms=None, groups=None) -> None:
        lms = self.lms if lms is None else lms
        steps = LMSteps(lms, "matching_step", self.backend)
        for i in steps.each(groups or [tuple(range(len(lms)))]):
            steps.dispatch(i, CONTEXT, PERCEPTS)
        steps.process()

    def assert_settled(self) -> None:
        self.backend.check_nothing_is_pending()
        self.assertEqual([lm.updater.open for lm in self.lms], [0, 0, 0])

    def test_all_are_dispatched_before_the_first_is_processed(self) -> None:
        self.step()
        phases = [phase for phase, _ in self.log if phase != "update"]
        self.assertEqual(phases, ["dispatch"] * 3 + ["process"] * 3)
        self.assert_settled()

    def test_dispatches_by_group_and_processes_in_order(self) -> None:
        self.step(groups=[(0, 2), (1,)])
        names = {
            wanted: [name for phase, name in self.log if phase == wanted]
            for wanted in ("dispatch", "process")
        }
        self.assertEqual(names, {"dispatch": list("acb"), "process": list("abc")})

    def test_the_backend_is_told_the_group_and_when_it_is_complete(self) -> None:
        backend = Noting()
        self.backend = SharedBackend(backend)
        self.lms = [TwoPhaseLM(name, self.backend, self.log) for name in "abc"]
        self.step(groups=[(0, 2), (1,)])
        self.assertEqual(
            backend.told,
            [
                ("dispatch", "a", (0, 2)),
                ("dispatch", "c", (0, 2)),
                ("launch", (0, 2)),
                ("dispatch", "b", (1,)),
                ("launch", (1,)),
                *(("result", name) for name in "abc"),
            ],
        )
        self.lms[0].matching_step(CONTEXT, PERCEPTS)
        self.assertEqual(backend.told[-2], ("dispatch", "a", ()))

    def test_a_step_without_learning_modules_does_nothing(self) -> None:
        self.step([])

    def test_a_module_with_only_a_whole_step_runs_it_when_processed(self) -> None:
        self.step([self.lms[0], WholeLM(self.log), self.lms[1]])
        order = [phase for phase, _ in self.log if phase != "update"]
        self.assertEqual(order, ["dispatch", "dispatch", "process", "step", "process"])
        self.assertEqual(self.backend.stepped_whole, {"whole": 1})

    def test_a_step_of_another_kind_runs_whole(self) -> None:
        class Dreams(TwoPhaseLM):
            def dream_step(self, _ctx, percepts) -> None:
                self.log.append(("dream", percepts))

        lms: Any = [Dreams("d", self.backend, self.log)]
        steps = LMSteps(lms, "dream_step", self.backend)
        steps.dispatch(0, CONTEXT, PERCEPTS)
        steps.process()
        self.assertEqual(self.log, [("dream", "p")])

    def test_a_failure_names_its_learning_module_and_leaves_no_work(self) -> None:
        for phase in ("dispatch", "update", "process"):
            with self.subTest(phase):
                self.setUp()
                self.lms[1].fails_at = phase
                with self.assertRaisesRegex(ValueError, phase) as caught:
                    self.step()
                if sys.version_info >= (3, 11):
                    notes = getattr(caught.exception, "__notes__", [])
                    self.assertIn("learning module b", "".join(notes))
                self.assert_settled()
                # The module before it was stepped, as if each were stepped alone.
                self.assertIn(("process", "a"), self.log)
                self.assertNotIn(("process", "c"), self.log)
                # The next step runs.
                self.lms[1].fails_at = ""
                self.log.clear()
                self.step()
                self.assertEqual(len(self.log), 9)

    def test_the_log_names_the_learning_module_of_an_error_without_notes(self) -> None:
        class WithoutNotes(ValueError):
            @property
            def add_note(self):
                raise AttributeError

        self.lms[1].fails_at = "process"
        self.lms[1].error = WithoutNotes
        with self.assertLogs(level="ERROR") as logs, self.assertRaises(WithoutNotes):
            self.step()
        self.assertIn("learning module b", logs.output[0])

    def test_contexts_after_a_failure_get_the_exception(self) -> None:
        self.lms[0].fails_at = "process"
        with self.assertRaises(ValueError):
            self.step()
        self.assertEqual(self.lms[2].updater.left_with, [ValueError])

    def test_contexts_get_the_exception_of_a_launch(self) -> None:
        class CannotLaunch(ReferenceBackend):
            def launch(self, group) -> None:  # noqa: ARG002
                raise ValueError

        self.backend = SharedBackend(CannotLaunch())
        self.lms = [TwoPhaseLM(name, self.backend, self.log) for name in "abc"]
        with self.assertRaises(ValueError):
            self.step()
        left_with = [lm.updater.left_with for lm in self.lms]
        self.assertEqual(left_with, [[ValueError]] * 3)
        self.assert_settled()

    def test_nothing_is_processed_after_an_interrupt(self) -> None:
        self.lms[1].fails_at = "dispatch"
        self.lms[1].error = KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            self.step()
        self.assertNotIn(("process", "a"), self.log)
        self.assertEqual([lm.updater.open for lm in self.lms], [0, 0, 0])
        self.lms[1].fails_at = ""
        self.step()
        self.assert_settled()

    def test_a_result_that_nobody_takes_is_an_error(self) -> None:
        class Forgets(TwoPhaseLM):
            def process_matching_step(self, pending: PendingStep) -> None:
                pass

        forgetful = Forgets("forgetful", self.backend, self.log)
        with self.assertRaisesRegex(WorkLeftPending, "forgetful"):
            self.step([forgetful])
        self.assertEqual(forgetful.updater.left_with, [WorkLeftPending])
        self.assert_settled()
