# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from monty_tools.refactor.codemods.split_step_learning_modules import (
    SplitStepLearningModules,
)
from monty_tools.refactor.failures import CannotDivide, MissingAnchor
from tests.tools.refactor.codemod_case import CodemodTestCase

COMPOSING = dict(class_name="Base", overrides_base=False, experiment_after="set_truth")
OVERRIDING = dict(
    class_name="Matching", overrides_base=True, experiment_after="set_truth"
)

BASE = """
    class Base:
        def _step_learning_modules(self, ctx: RuntimeContext):
            for n in range(len(self.learning_modules)):
                given = self._collect_inputs_to_lm(n)
                getattr(self.learning_modules[n], self.step_type)(ctx, given)

        def _collect_inputs_to_lm(self, n): ...

        def set_truth(self): ...
"""

BASE_SPLIT = """
    class Base:
        def _step_learning_modules(self, ctx: RuntimeContext):
            inputs = [
                self._collect_inputs_to_lm(i) for i in range(len(self.learning_modules))
            ]
            self.update_stepwise_targets(inputs)
            self.step_learning_modules(ctx, self.lm_groups, inputs)
            self._note_processed_inputs(inputs)

        def _note_processed_inputs(self, inputs: LMInputs) -> None:
            pass

        def _collect_inputs_to_lm(self, n): ...

        def set_truth(self): ...

        def update_stepwise_targets(self, inputs: LMInputs) -> None:
            pass

        def step_learning_modules(
            self, ctx: RuntimeContext, groups: Sequence[LMGroup], inputs: LMInputs
        ) -> None:
            for n in sorted(i for group in groups for i in group):
                given = inputs[n]
                getattr(self.learning_modules[n], self.step_type)(ctx, given)
"""

MATCHING = '''
    class Matching(Base):
        def set_truth(self): ...

        # --- stepping ---

        def _step_learning_modules(self, ctx: RuntimeContext):
            """Says what it does."""
            for i in range(len(self.learning_modules)):
                given = self._collect_inputs_to_lm(i)
                # there is something
                if given:
                    self._set_stepwise_targets(self.learning_modules[i], given)

                    # before the step
                    step = getattr(self.learning_modules[i], self.step_type)
                    step(ctx, given)  # the step

                    self.learning_modules[i].add_lm_processing_to_buffer_stats(True)
                else:
                    if self.talks:
                        print("skipped", i)
                    self.learning_modules[i].add_lm_processing_to_buffer_stats(False)

                    """A note in a string, about the next line."""
                    self.learning_modules[i].stepwise_targets_list.append(None)

        def _set_stepwise_targets(self, lm, given): ...
'''

MATCHING_SPLIT = '''
    class Matching(Base):
        def set_truth(self): ...

        def update_stepwise_targets(self, inputs: LMInputs) -> None:
            for i, given in enumerate(inputs):
                if given:
                    self._set_stepwise_targets(self.learning_modules[i], given)
                else:
                    """A note in a string, about the next line."""
                    self.learning_modules[i].stepwise_targets_list.append(None)

        def step_learning_modules(
            self, ctx: RuntimeContext, groups: Sequence[LMGroup], inputs: LMInputs
        ) -> None:
            for i in sorted(i for group in groups for i in group):
                given = inputs[i]
                # there is something
                if given:
                    # before the step
                    step = getattr(self.learning_modules[i], self.step_type)
                    step(ctx, given)  # the step
                elif self.talks:
                    print("skipped", i)

        # --- stepping ---

        def _note_processed_inputs(self, inputs: LMInputs) -> None:
            for i, given in enumerate(inputs):
                if given:
                    self.learning_modules[i].add_lm_processing_to_buffer_stats(True)
                else:
                    self.learning_modules[i].add_lm_processing_to_buffer_stats(False)

        def _set_stepwise_targets(self, lm, given): ...
'''


class SplitStepLearningModulesTest(CodemodTestCase):
    TRANSFORM = SplitStepLearningModules

    def test_the_base_composes_three_methods(self) -> None:
        self.assertCodemod(BASE, BASE_SPLIT, **COMPOSING)

    def test_an_override_becomes_an_override_of_each(self) -> None:
        self.assertCodemod(MATCHING, MATCHING_SPLIT, **OVERRIDING)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(BASE_SPLIT, BASE_SPLIT, **COMPOSING)
        self.assertCodemod(MATCHING_SPLIT, MATCHING_SPLIT, **OVERRIDING)

    def test_other_classes_and_nested_ones_are_left_alone(self) -> None:
        other = BASE.replace("class Base", "class Other")
        self.assert_missing("the class itself", other, COMPOSING)
        nested = "class Outer:\n" + BASE
        self.assert_missing("the class itself", nested, COMPOSING)

    def test_a_missing_anchor_is_named(self) -> None:
        for name in (
            "_set_stepwise_targets",
            "stepwise_targets_list",
            "add_lm_processing_to_buffer_stats",
            "_collect_inputs_to_lm",
            "_step_learning_modules",
        ):
            with self.subTest(name):
                renamed = MATCHING.replace(name, "renamed")
                self.assert_missing(name, renamed, OVERRIDING)

    def test_the_method_of_targets_must_exist_not_only_its_call(self) -> None:
        without = MATCHING.replace("def _set_stepwise_targets", "def something_else")
        self.assert_missing("_set_stepwise_targets", without, OVERRIDING)

    def test_a_loop_over_something_else_is_refused(self) -> None:
        other = BASE.replace("range(len(self.learning_modules))", "self.some_order()")
        self.assert_missing("range(len(self.learning_modules))", other, COMPOSING)

    def test_other_statements_in_the_method_are_refused(self) -> None:
        more = BASE.replace(
            "            for n in", "            x = 1\n            for n in"
        )
        self.assert_missing("nothing but one loop", more, COMPOSING)

    def test_a_step_that_is_not_looked_up_by_step_type_is_refused(self) -> None:
        other = BASE.replace("self.step_type", "'matching_step'")
        self.assert_missing("self.step_type", other, COMPOSING)

    def assert_missing(self, name: str, before: str, arguments: dict) -> None:
        with self.assertRaises(MissingAnchor) as raised:
            self.assertCodemod(before, before, **arguments)
        self.assertIn(name, str(raised.exception))

    def test_a_variable_that_two_concerns_share_is_refused(self) -> None:
        shared = BASE.replace(
            "getattr(self.learning_modules[n], self.step_type)(ctx, given)",
            "lm = self.learning_modules[n]\n"
            "                self._set_stepwise_targets(lm, given)\n"
            "                getattr(lm, self.step_type)(ctx, given)",
        )
        with self.assertRaisesRegex(CannotDivide, "^lm is assigned for one concern"):
            self.assertCodemod(shared, shared, **COMPOSING)

    def test_without_a_place_for_the_experiment_its_method_comes_first(self) -> None:
        only_steps = BASE.replace("class Base", "class Matching(Base)")
        after = """
            class Matching(Base):
                def update_stepwise_targets(self, inputs: LMInputs) -> None:
                    pass

                def step_learning_modules(
                    self, ctx: RuntimeContext, groups: Sequence[LMGroup], inputs: LMInputs
                ) -> None:
                    for n in sorted(i for group in groups for i in group):
                        given = inputs[n]
                        getattr(self.learning_modules[n], self.step_type)(ctx, given)

                def _note_processed_inputs(self, inputs: LMInputs) -> None:
                    pass

                def _collect_inputs_to_lm(self, n): ...

                def set_truth(self): ...
        """  # noqa: E501
        options = {**OVERRIDING, "experiment_after": None}
        self.assertCodemod(only_steps, after, **options)
