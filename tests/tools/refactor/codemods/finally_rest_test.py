# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from __future__ import annotations

from monty_tools.refactor.codemods.finally_rest import FinallyRest
from monty_tools.refactor.failures import MissingAnchor
from tests.tools.refactor.codemod_case import CodemodTestCase

ARGUMENTS = dict(class_name="Bird", method="land", statement="self.brake()")

BEFORE = """
    class Bird:
        def land(self):
            self.brake()
            # Slowly.
            self.glide()
            self.fold_wings()

        def fly(self):
            self.brake()
"""

AFTER = """
    class Bird:
        def land(self):
            try:
                self.brake()
            finally:
                # Slowly.
                self.glide()
                self.fold_wings()

        def fly(self):
            self.brake()
"""


class FinallyRestTest(CodemodTestCase):
    TRANSFORM = FinallyRest

    def test_the_other_statements_run_however_the_first_one_ends(self) -> None:
        self.assertCodemod(BEFORE, AFTER, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, **ARGUMENTS)

    def test_another_first_statement_is_refused(self) -> None:
        source = BEFORE.replace("self.brake()", "self.roll()", 1)
        with self.assertRaisesRegex(MissingAnchor, "self.brake"):
            self.assertCodemod(source, source, **ARGUMENTS)
