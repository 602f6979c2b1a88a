# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from monty_tools.refactor.codemods.remove_repeated_method import (
    RemoveRepeatedMethod,
)
from monty_tools.refactor.failures import MissingAnchor
from tests.tools.refactor.codemod_case import CodemodTestCase

ARGUMENTS = dict(
    class_name="Own", method="step", base_file="base.py", base_class="Base"
)

BASE = """
class Base:
    def step(self, a):
        # why
        return a + 1
"""

BEFORE = """
    class Own(Base):
        def first(self): ...

        def step(self, a):
            # why
            return a + 1

        def last(self): ...
"""

AFTER = """
    class Own(Base):
        def first(self): ...

        def last(self): ...
"""


class RemoveRepeatedMethodTest(CodemodTestCase):
    TRANSFORM = RemoveRepeatedMethod

    def test_a_method_that_repeats_its_base_is_removed(self) -> None:
        self.assertCodemod(BEFORE, AFTER, others={"base.py": BASE}, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, others={"base.py": BASE}, **ARGUMENTS)

    def test_a_method_that_differs_is_kept_and_named(self) -> None:
        for base in (BASE.replace("+ 1", "+ 2"), "", BASE.replace("step", "other")):
            with self.assertRaises(MissingAnchor):
                self.assertCodemod(
                    BEFORE, BEFORE, others={"base.py": base}, **ARGUMENTS
                )
