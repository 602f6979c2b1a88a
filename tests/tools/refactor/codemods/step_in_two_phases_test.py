# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from monty_tools.refactor.codemods.step_in_two_phases import StepInTwoPhases
from monty_tools.refactor.failures import MissingAnchor
from monty_tools.refactor.imports import NeededImport
from tests.tools.refactor.codemod_case import CodemodTestCase

ARGUMENTS = dict(class_name="Monty", imports=(NeededImport("steps", "dispatch_step"),))

CALLED_BY_NAME = """
    import order

    class Monty:
        def step_learning_modules(self, ctx, groups, inputs):
            for i in in_order(groups):
                if inputs[i]:
                    step = getattr(self.learning_modules[i], self.step_type)
                    assert callable(step), f"{step} must be callable"
                    step(ctx, inputs[i])  # here
                    log("stepped", i)
"""

DISPATCHED = """
    import order

    from steps import dispatch_step

    class Monty:
        def step_learning_modules(self, ctx, groups, inputs):
            pending = {}
            try:
                for group in groups:
                    for i in group:
                        if inputs[i]:
                            pending[i] = dispatch_step(
                                self.learning_modules[i], self.step_type, ctx, inputs[i]
                            )  # here
                            log("stepped", i)
                    self.backend.launch(group)
            finally:
                for i in sorted(pending):
                    process_step(self.learning_modules[i], self.step_type, pending[i])
"""


CALLED_DIRECTLY = """
    import order

    class Monty:
        def step_learning_modules(self, ctx, groups, inputs):
            for i in in_order(groups):
                getattr(self.lms[i], self.step_type)(ctx, inputs[i])
"""

PLAIN = """
    import order

    from steps import dispatch_step

    class Monty:
        def step_learning_modules(self, ctx, groups, inputs):
            pending = {}
            try:
                for group in groups:
                    for i in group:
                        pending[i] = dispatch_step(
                            self.learning_modules[i], self.step_type, ctx, inputs[i]
                        )
                    self.backend.launch(group)
            finally:
                for i in sorted(pending):
                    process_step(self.learning_modules[i], self.step_type, pending[i])
"""


class StepInTwoPhasesTest(CodemodTestCase):
    TRANSFORM = StepInTwoPhases

    def test_a_step_method_that_is_looked_up_is_dispatched_instead(self) -> None:
        self.assertCodemod(CALLED_BY_NAME, DISPATCHED, **ARGUMENTS)

    def test_a_step_method_that_is_called_directly_too(self) -> None:
        self.assertCodemod(CALLED_DIRECTLY, PLAIN, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(DISPATCHED, DISPATCHED, **ARGUMENTS)

    def test_a_loop_that_steps_nothing_or_twice_is_refused(self) -> None:
        step = "step(ctx, inputs[i])  # here"
        for changed in ("pass", f"step(ctx, [])\n{' ' * 20}{step}"):
            source = CALLED_BY_NAME.replace(step, changed)
            with (
                self.subTest(changed),
                self.assertRaisesRegex(MissingAnchor, "self.step_type"),
            ):
                self.assertCodemod(source, source, **ARGUMENTS)

    def test_no_loop_is_refused(self) -> None:
        source = """
            class Monty:
                def step_learning_modules(self, ctx, groups, inputs):
                    pass
        """
        with self.assertRaisesRegex(MissingAnchor, "one loop"):
            self.assertCodemod(source, source, **ARGUMENTS)
