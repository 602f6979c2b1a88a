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

from tbp.monty.backends import CannotRun, SharedBackend, WorkLeftPending, share_backend
from tbp.monty.backends.builtin.reference import ReferenceBackend
from tests.backends.works import work_that


class Choosy(ReferenceBackend):
    name = "choosy"

    def can_run(self, work):
        return f"{work.lm_id} is not to its taste"


class TakesBackend:
    def use_backend(self, backend) -> None:
        self.backend = backend


class StandsIn:
    """A proxy: passes on all attributes of another object."""

    def __init__(self, lm) -> None:
        self._lm = lm

    def __getattr__(self, name):
        return getattr(self._lm, name)


class ShareBackendTest(unittest.TestCase):
    def test_all_learning_modules_that_take_a_backend_get_the_same(self) -> None:
        first, last = TakesBackend(), TakesBackend()
        shared = share_backend([first, object(), last], ReferenceBackend())
        self.assertEqual(shared.name, "reference")
        self.assertIs(first.backend, shared)
        self.assertIs(last.backend, shared)

    def test_a_proxy_gets_no_backend(self) -> None:
        behind = TakesBackend()
        share_backend([StandsIn(behind)], ReferenceBackend())
        self.assertFalse(hasattr(behind, "backend"))


class Noting(ReferenceBackend):
    """Records the calls it gets."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple] = []

    def dispatch(self, work, group) -> None:
        self.told.append(("dispatch", work.lm_id, group))
        super().dispatch(work, group)

    def launch(self, group) -> None:
        self.told.append(("launch", group))

    def result(self, work) -> None:
        self.told.append(("result", work.lm_id))

    def close(self) -> None:
        self.told.append(("close",))


class Context:
    """Records how it was exited."""

    def __init__(self) -> None:
        self.left: list = []

    def __enter__(self) -> None:
        pass

    def __exit__(self, exc_type, *_) -> None:
        self.left.append(exc_type)


class SharedBackendTest(unittest.TestCase):
    def setUp(self) -> None:
        self.shared = SharedBackend(ReferenceBackend())
        self.addCleanup(self.shared.close)

    def take(self, work) -> None:
        with self.shared.result(work):
            pass

    def test_the_backend_is_told_the_group_of_work_and_when_it_is_complete(
        self,
    ) -> None:
        backend = Noting()
        shared = SharedBackend(backend)
        for group in ((0, 2), (1,)):
            shared.begin(group)
            for i in group:
                shared.dispatch(work_that(lm_id=f"LM_{i}"))
            shared.launch()
        shared.dispatch(work_that(lm_id="LM_9"))
        self.assertEqual(
            backend.told,
            [
                ("dispatch", "LM_0", (0, 2)),
                ("dispatch", "LM_2", (0, 2)),
                ("launch", (0, 2)),
                ("dispatch", "LM_1", (1,)),
                ("launch", (1,)),
                ("dispatch", "LM_9", ()),
            ],
        )

    def test_the_context_of_work_stays_open_until_it_is_processed(self) -> None:
        context = Context()
        work = self.shared.dispatch(work_that(context=context))
        self.assertEqual(context.left, [])
        with self.shared.result(work):
            self.assertEqual(context.left, [])
        self.assertEqual(context.left, [None])
        self.shared.check_nothing_is_pending()

    def test_the_context_of_work_is_told_why_processing_stopped(self) -> None:
        context = Context()
        work = self.shared.dispatch(work_that(context=context))
        with self.assertRaises(ValueError), self.shared.result(work):
            raise ValueError
        self.assertEqual(context.left, [ValueError])

    def test_work_left_pending_is_an_error_naming_its_learning_module(self) -> None:
        context = Context()
        self.shared.dispatch(work_that(lm_id="LM_7", context=context))
        with self.assertRaisesRegex(WorkLeftPending, "LM_7"):
            self.shared.check_nothing_is_pending()
        self.assertEqual(context.left, [WorkLeftPending])
        self.shared.check_nothing_is_pending()

    def test_draining_logs_and_drops_failed_work(self) -> None:
        def fail(_: str) -> None:
            raise ValueError("no luck")

        self.shared.dispatch(work_that(fail))
        self.shared.dispatch(work_that())
        with self.assertLogs("tbp.monty.backends", "ERROR") as logs:
            self.shared.drain()
        self.assertIn("LM_0", logs.output[0])
        self.shared.check_nothing_is_pending()

    def test_an_error_while_dispatching_is_raised_by_the_result(self) -> None:
        def fail(_: str) -> None:
            raise ValueError

        failing = self.shared.dispatch(work_that(fail))
        good = self.shared.dispatch(work_that())
        self.take(good)
        with self.assertRaises(ValueError):
            self.take(failing)

    def test_a_result_that_raises_is_no_longer_pending(self) -> None:
        def fail(_: str) -> None:
            raise ValueError

        context = Context()
        work = self.shared.dispatch(work_that(fail, context=context))
        with self.assertRaises(ValueError):
            self.take(work)
        self.assertEqual(context.left, [ValueError])
        self.shared.check_nothing_is_pending()

    def test_an_interrupt_while_dispatching_leaves_the_context_at_once(self) -> None:
        def interrupt(_: str) -> None:
            raise KeyboardInterrupt

        context = Context()
        with self.assertRaises(KeyboardInterrupt):
            self.shared.dispatch(
                work_that(interrupt, in_threads=False, context=context)
            )
        self.assertEqual(context.left, [KeyboardInterrupt])
        self.shared.check_nothing_is_pending()

    def test_abandoned_work_leaves_its_context_once(self) -> None:
        context = Context()
        self.shared.dispatch(work_that(context=context))
        self.shared.abandon(KeyboardInterrupt())
        self.shared.drain()
        self.assertEqual(context.left, [KeyboardInterrupt])

    def test_work_after_a_group_was_abandoned_belongs_to_no_group(self) -> None:
        backend = Noting()
        shared = SharedBackend(backend)
        shared.begin((0, 1))
        shared.abandon(KeyboardInterrupt())
        shared.dispatch(work_that(lm_id="LM_0"))
        self.assertEqual(backend.told, [("dispatch", "LM_0", ())])

    def test_the_backend_is_waited_for_once_per_result(self) -> None:
        backend = Noting()
        shared = SharedBackend(backend)
        with shared.result(shared.dispatch(work_that(lm_id="LM_0"))):
            self.assertEqual(backend.told[1:], [("result", "LM_0")])
        self.assertEqual(backend.told[1:], [("result", "LM_0")])

    def test_closing_closes_the_backend_and_forgets_pending_work(self) -> None:
        backend = Noting()
        shared = SharedBackend(backend)
        shared.dispatch(work_that())
        shared.close()
        shared.check_nothing_is_pending()
        self.assertEqual(backend.told[1:], [("close",)])

    def test_work_it_cannot_run_is_an_error_with_reason_and_remedy(self) -> None:
        with self.assertRaisesRegex(
            CannotRun, "'choosy'.*LM_0.*not to its taste.*'reference'"
        ):
            SharedBackend(Choosy()).dispatch(work_that())

    def test_closing_logs_once_what_ran_where(self) -> None:
        for lm_id in ("LM_1", "LM_0", "LM_1"):
            self.take(self.shared.dispatch(work_that(lm_id=lm_id)))
        self.shared.stepped_whole["LM_2"] += 1
        with self.assertLogs("tbp.monty.backends", "INFO") as logs:
            self.shared.close()
            self.shared.close()
        (record,) = logs.records
        self.assertEqual(
            record.getMessage(),
            "backend reference ran 3 evidence updates (LM_0: 1, LM_1: 2); "
            "without a backend: 1 step (LM_2: 1)",
        )
