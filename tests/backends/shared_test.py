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

from tbp.monty.backends import EvidenceOutcome
from tbp.monty.backends.builtin.reference import ReferenceBackend
from tbp.monty.backends.failures import CannotRun, WorkLeftPending
from tbp.monty.backends.shared import SharedBackend
from tests.backends.works import work_that


class Choosy(ReferenceBackend):
    name = "choosy"

    def dispatch(self, work) -> None:
        raise CannotRun(f"{work.lm_id} is not to its taste")


class Noting(ReferenceBackend):
    """Records the calls it gets."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple] = []

    def dispatch(self, work) -> None:
        self.told.append(("dispatch", work.lm_id))
        super().dispatch(work)

    def launch(self, group) -> None:
        self.told.append(("launch", group))

    def result(self, work) -> EvidenceOutcome:
        self.told.append(("result", work.lm_id))
        return super().result(work)

    def discard(self) -> None:
        self.told.append(("discard",))

    def close(self) -> None:
        self.told.append(("close",))


class SharedBackendTest(unittest.TestCase):
    def setUp(self) -> None:
        self.backend = Noting()
        self.shared = SharedBackend(self.backend)
        self.addCleanup(self.shared.close)

    def run_one(self, lm_id: str = "LM_0") -> None:
        work = work_that(lm_id=lm_id)
        self.shared.dispatch(work)
        self.shared.result(work)

    def test_it_hands_everything_on_and_counts_results(self) -> None:
        outcome = EvidenceOutcome()
        work = work_that(lambda: outcome, "LM_2")
        with self.shared.step():
            self.shared.dispatch(work)
            self.shared.launch((0, 2))
            self.assertIs(self.shared.result(work), outcome)
        expected = [("dispatch", "LM_2"), ("launch", (0, 2)), ("result", "LM_2")]
        self.assertEqual(self.backend.told, expected)
        self.assertEqual(self.shared.ran, {"LM_2": 1})
        self.assertEqual(self.shared.name, "reference")

    def test_a_result_that_nobody_takes_is_an_error(self) -> None:
        with self.assertRaisesRegex(WorkLeftPending, "LM_7"), self.shared.step():
            self.shared.dispatch(work_that(lm_id="LM_7"))
        self.assertEqual(self.backend.told[-1], ("discard",))
        with self.shared.step():
            self.run_one()

    def test_updates_of_a_step_that_fails_are_discarded(self) -> None:
        for error in (ValueError, KeyboardInterrupt):
            with self.subTest(error.__name__):
                with self.assertRaises(error), self.shared.step():
                    self.shared.dispatch(work_that())
                    raise error
                self.assertEqual(self.backend.told[-1], ("discard",))

    def test_an_update_that_failed_to_be_dispatched_is_discarded(self) -> None:
        def fail() -> EvidenceOutcome:
            raise ValueError

        with self.assertRaises(ValueError), self.shared.step():
            self.shared.dispatch(work_that(fail))
        self.assertEqual(self.backend.told[-1], ("discard",))

    def test_what_was_dispatched_outside_of_a_step_is_discarded_before_it(self) -> None:
        self.shared.dispatch(work_that())
        with self.shared.step():
            self.assertEqual(self.backend.told[-1], ("discard",))

    def test_a_step_without_updates_discards_nothing(self) -> None:
        with self.shared.step():
            pass
        self.assertEqual(self.backend.told, [])

    def test_an_update_it_cannot_run_is_an_error_with_reason_and_remedy(self) -> None:
        shared = SharedBackend(Choosy())
        expected = "'choosy'.*LM_0.*not to its taste.*'reference'"
        with self.assertRaisesRegex(CannotRun, expected), shared.step():
            shared.dispatch(work_that())

    def test_closing_logs_once_what_ran_where_and_why(self) -> None:
        for lm_id in ("LM_1", "LM_0", "LM_1"):
            self.run_one(lm_id)
        self.shared.note_alone("LM_2", "has its own matching_step, not in halves")
        with self.assertLogs("tbp.monty.backends", "INFO") as logs:
            self.shared.close()
            self.shared.close()
        (record,) = logs.records
        self.assertEqual(
            record.getMessage(),
            "backend reference ran 3 evidence updates (LM_0: 1, LM_1: 2); "
            "without a backend: 1 step (LM_2: 1); "
            "LM_2 has its own matching_step, not in halves",
        )
        self.assertEqual(self.backend.told.count(("close",)), 1)

    def test_a_backend_that_cannot_be_closed_is_an_error(self) -> None:
        class Stuck(ReferenceBackend):
            def close(self) -> None:
                raise OSError

        stuck: Any = SharedBackend(Stuck())
        with self.assertRaises(OSError):
            stuck.close()
