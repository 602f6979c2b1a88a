# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from monty_tools.refactor.codemods.update_in_two_halves import UpdateInTwoHalves
from monty_tools.refactor.failures import MissingAnchor
from monty_tools.refactor.imports import NeededImport
from tests.tools.refactor.codemod_case import CodemodTestCase

ARGUMENTS = dict(class_name="LM", imports=(NeededImport("halves", "process_update"),))

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

        def _update_evidence(self, features, displacement, graph_id):
            moved = self.hypotheses_updater.displace_hypotheses(displacement)
            found, said = self.hypotheses_updater.update_evidence(moved, features)
            self.hypotheses_updater_telemetry[graph_id] = said
            self._hypotheses[graph_id] = found
'''

AFTER = '''
    import threading

    from halves import process_update

    class LM:
        def _update_possible_matches(self, ctx, query):
            """Update."""
            pending = self._dispatch_update_possible_matches(ctx, query)
            self._process_update_possible_matches(pending)

        def _dispatch_update_possible_matches(
            self,
            ctx: RuntimeContext,  # noqa: ARG002
            query,
        ) -> Any:
            """Return the evidence update of all graphs, dispatched."""
            features, displacement = query
            evidence_query = self._evidence_query(features, displacement)
            return dispatch_update(self.hypotheses_updater, evidence_query)

        def _process_update_possible_matches(self, pending: Any) -> None:
            """Keep the results of the evidence update."""
            outcome = process_update(self.hypotheses_updater, pending)
            self._hypotheses.update(outcome.hypotheses)
            self.hypotheses_updater_telemetry.update(outcome.telemetry)
            # What follows reads the result.
            self.matches = self.find_matches()

        def _evidence_query(
            self, features: dict, displacement: npt.NDArray[np.float64] | None
        ) -> EvidenceQuery:
            """Return what the hypotheses updater needs to update all graphs."""
            return EvidenceQuery(
                lm_id=self.learning_module_id,
                graph_ids=self.get_all_known_object_ids(),
                hypotheses=self._hypotheses,
                features=features,
                displacement=displacement,
                threshold=EvidenceThreshold(
                    rule=evidence_update_threshold,
                    config=self.evidence_threshold_config,
                    x_percent=self.x_percent_threshold,
                    highest=self.current_mlh["evidence"],
                ),
                in_threads=self.use_multithreading,
            )
'''


class UpdateInTwoHalvesTest(CodemodTestCase):
    TRANSFORM = UpdateInTwoHalves

    def assert_missing(self, changed: tuple[str, str], looked_for: str) -> None:
        source = BEFORE.replace(*changed)
        self.assertNotEqual(source, BEFORE)
        with self.assertRaises(MissingAnchor) as caught:
            self.assertCodemod(source, source, **ARGUMENTS)
        self.assertIn(looked_for, caught.exception.looked_for)
        self.assertEqual(caught.exception.method, "_update_possible_matches")

    def test_the_updater_updates_all_graphs_and_the_rest_waits_for_it(self) -> None:
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
            ((".displace_hypotheses(", ".displace("), "displace_hypotheses(...)"),
            (("self._hypotheses[", "self._found["), "self._hypotheses[graph_id]"),
        ):
            with self.subTest(looked_for):
                self.assert_missing(changed, looked_for)
