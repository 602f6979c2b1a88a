# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from monty_tools.refactor.codemods.split_matching_step import SplitMatchingStep
from monty_tools.refactor.failures import MissingAnchor
from tests.tools.refactor.codemod_case import CodemodTestCase

BEFORE = '''
    class LM:
        def matching_step(self, ctx, percepts) -> None:
            """Match."""
            if not percepts:
                self.skip()
                return

            moved = self.has_moved()
            feature_percepts = [p for p in percepts if p]

            self._compute_possible_matches(
                ctx, feature_percepts, first_movement_detected=moved
            )

            # What follows reads the result.
            self.step_goals(ctx, feature_percepts)
'''

AFTER = '''
    class LM:
        def matching_step(self, ctx, percepts) -> None:
            """Match."""
            self.process_matching_step(self.dispatch_matching_step(ctx, percepts))

        def dispatch_matching_step(
            self,
            ctx: RuntimeContext,
            percepts: Sequence[Message],
        ) -> PendingStep:
            if not percepts:
                self.skip()
                return PendingStep(ctx, percepts, is_over=True)

            moved = self.has_moved()
            feature_percepts = [p for p in percepts if p]

            matches = self._dispatch_compute_possible_matches(
                ctx, feature_percepts, first_movement_detected=moved
            )
            return PendingStep(ctx, [copy(p) for p in feature_percepts], matches)

        def process_matching_step(self, pending: PendingStep) -> None:
            if pending.is_over:
                return

            self._process_compute_possible_matches(pending.matches)

            # What follows reads the result.
            self.step_goals(pending.ctx, pending.percepts)
'''


class SplitMatchingStepTest(CodemodTestCase):
    TRANSFORM = SplitMatchingStep

    def test_the_step_is_split_at_the_call(self) -> None:
        self.assertCodemod(BEFORE, AFTER, class_name="LM")

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, class_name="LM")

    def test_another_shape_is_refused_with_the_expected_one(self) -> None:
        for before, after, looked_for in (
            ("_compute_possible_matches", "_other", "one call of"),
            ("goals(ctx, feature_percepts)", "goals(moved)", "no use of moved"),
            ("goals(ctx, feature_percepts)", "goals(percepts)", "no use of percepts"),
        ):
            source = BEFORE.replace(before, after)
            with (
                self.subTest(looked_for),
                self.assertRaisesRegex(MissingAnchor, looked_for),
            ):
                self.assertCodemod(source, source, class_name="LM")
