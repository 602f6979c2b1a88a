# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from monty_tools.refactor.codemods.queue_evidence_update import QueueEvidenceUpdate
from monty_tools.refactor.failures import MissingAnchor
from monty_tools.refactor.imports import NeededImport
from tests.tools.refactor.codemod_case import CodemodTestCase

ARGUMENTS = dict(class_name="LM", imports=(NeededImport("work", "evidence_work"),))

BEFORE = '''
    import threading

    class LM:
        def _update_possible_matches(self, ctx, query):
            """Update."""
            with self.hypotheses_updater:
                threads = []
                for name in self.get_all_known_object_ids():
                    if self.use_multithreading:
                        made = threading.Thread(
                            target=self._update_evidence,
                            args=(query[0], query[1], name),
                        )
                        threads.append(made)
                    else:
                        self._update_evidence(query[0], query[1], name)
                if self.use_multithreading:
                    for one in threads:
                        one.start()
                    for one in threads:
                        one.join()
                # What follows reads the result.
                self.matches = self.find_matches()
'''

AFTER = '''
    import threading

    from work import evidence_work

    class LM:
        def _update_possible_matches(self, ctx, query):
            """Update."""
            work = self._dispatch_update_possible_matches(ctx, query)
            self._process_update_possible_matches(work)

        def _dispatch_update_possible_matches(
            self,
            ctx: RuntimeContext,  # noqa: ARG002
            query,
        ) -> EvidenceWork:
            """Return the evidence update of all graphs, dispatched to the backend."""
            features, displacement = query
            return self.backend.dispatch(evidence_work(self, features, displacement))

        def _process_update_possible_matches(self, work: EvidenceWork) -> None:
            """Process the results of the evidence update."""
            with self.backend.result(work):
                # What follows reads the result.
                self.matches = self.find_matches()
'''


class QueueEvidenceUpdateTest(CodemodTestCase):
    TRANSFORM = QueueEvidenceUpdate

    def assert_missing(self, changed: tuple[str, str], looked_for: str) -> None:
        source = BEFORE.replace(*changed)
        self.assertNotEqual(source, BEFORE)
        with self.assertRaises(MissingAnchor) as caught:
            self.assertCodemod(source, source, **ARGUMENTS)
        self.assertIn(looked_for, caught.exception.looked_for)
        self.assertEqual(caught.exception.method, "_update_possible_matches")

    def test_the_loop_becomes_one_work_and_the_rest_waits_for_it(self) -> None:
        self.assertCodemod(BEFORE, AFTER, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, **ARGUMENTS)

    def test_another_shape_is_refused_with_the_expected_one(self) -> None:
        for changed, looked_for in (
            (("with self.hypotheses_updater", "with self.other"), "hypotheses_updater"),
            (("threads = []", "threads = ()"), "an empty list"),
            (("self.get_all_known_object_ids()", "self.some()"), "a loop over"),
            (("_update_evidence,", "_update,"), "target=self._update_evidence"),
            (("query[1], name),", "name),"), "args="),
            (("                if self.use_m", "                if self.x_m"), "`if"),
            (("self.find_matches()", "len(threads)"), "no use of the threads"),
            (("self.find_matches()", "self.find(query)"), "no use of query or ctx"),
        ):
            with self.subTest(looked_for):
                self.assert_missing(changed, looked_for)
