# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from libcst.codemod import CodemodTest

from monty_tools.refactor.codemods.replace_function import ReplaceFunction
from monty_tools.refactor.failures import MissingAnchor
from monty_tools.refactor.imports import NeededImport

ARGUMENTS = dict(
    class_name="A",
    method="m",
    function=NeededImport("zoo.old", "old"),
    by=NeededImport("zoo.new", "new"),
    later=("newest",),
)

BEFORE = """
    from zoo.old import old

    class A:
        def m(self):
            return old(1, b=2)
"""

AFTER = """
    from zoo.new import new

    class A:
        def m(self):
            return new(1, b=2)
"""


class ReplaceFunctionTest(CodemodTest):
    TRANSFORM = ReplaceFunction

    def test_the_function_and_its_import_are_replaced(self) -> None:
        self.assertCodemod(BEFORE, AFTER, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, **ARGUMENTS)

    def test_code_that_a_later_step_added_stays(self) -> None:
        later = AFTER.replace("new", "newest")
        self.assertCodemod(later, later, **ARGUMENTS)

    def test_an_import_that_is_used_elsewhere_or_has_others_stays(self) -> None:
        before = """
            from zoo.old import old, other

            class A:
                def m(self):
                    return old(1)

                def n(self):
                    return other(old)
        """
        after = """
            from zoo.new import new
            from zoo.old import old, other

            class A:
                def m(self):
                    return new(1)

                def n(self):
                    return other(old)
        """
        self.assertCodemod(before, after, **ARGUMENTS)
        unused = before.replace("other(old)", "other()")
        self.assertCodemod(
            unused,
            after.replace("old, other", "other").replace("other(old)", "other()"),
            **ARGUMENTS,
        )

    def test_a_method_that_does_not_call_it_is_refused(self) -> None:
        source = BEFORE.replace("old(1, b=2)", "1")
        with self.assertRaisesRegex(MissingAnchor, "a call of old"):
            self.assertCodemod(source, source, **ARGUMENTS)
