# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

import unittest
from typing import Callable

from tbp.monty.backends import EvidenceOutcome
from tbp.monty.backends.reference import ReferenceBackend
from tests.backends.works import work_that


def returning(outcome: EvidenceOutcome) -> Callable[[], EvidenceOutcome]:
    def update() -> EvidenceOutcome:
        return outcome

    return update


class ReferenceBackendTest(unittest.TestCase):
    def setUp(self) -> None:
        self.backend = ReferenceBackend()
        self.addCleanup(self.backend.close)

    def test_an_update_has_run_when_dispatch_returns(self) -> None:
        outcome, ran = EvidenceOutcome({"mug": "hypotheses"}), []

        def update() -> EvidenceOutcome:
            ran.append("update")
            return outcome

        work = work_that(update)
        self.backend.dispatch(work)
        self.assertEqual(ran, ["update"])
        self.backend.launch((0, 1))
        self.assertIs(self.backend.result(work), outcome)
        self.assertEqual(ran, ["update"])

    def test_results_belong_to_their_update(self) -> None:
        outcomes = [EvidenceOutcome(), EvidenceOutcome()]
        works = [work_that(returning(one)) for one in outcomes]
        for work in works:
            self.backend.dispatch(work)
        self.assertIs(self.backend.result(works[1]), outcomes[1])
        self.assertIs(self.backend.result(works[0]), outcomes[0])

    def test_an_error_is_raised_at_once(self) -> None:
        def fail() -> EvidenceOutcome:
            raise ValueError

        with self.assertRaises(ValueError):
            self.backend.dispatch(work_that(fail))

    def test_it_can_be_closed_twice(self) -> None:
        self.backend.dispatch(work_that())
        self.backend.close()
        self.backend.close()
