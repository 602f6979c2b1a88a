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

from monty_tools.refactor.codemods.remove_statement import RemoveStatement
from monty_tools.refactor.failures import MissingAnchor

BEFORE = """
    import feathers
    import wings

    register(wings)
    register(feathers.Down)
"""

AFTER = """
    import wings

    register(wings)
"""


class RemoveStatementTest(CodemodTest):
    TRANSFORM = RemoveStatement

    def check(self, before: str) -> None:
        begins = "register(feathers"
        self.assertCodemod(before, AFTER, begins=begins, unused=("feathers",))

    def test_removes_the_statement_and_its_import(self) -> None:
        self.check(BEFORE)

    def test_again_changes_nothing(self) -> None:
        self.check(AFTER)

    def test_keeps_an_import_that_is_used(self) -> None:
        used = BEFORE + "    feathers.count()\n"
        kept = AFTER.replace(
            "    import wings", "    import feathers\n    import wings"
        )
        begins = "register(feathers"
        self.assertCodemod(
            used, kept + "    feathers.count()\n", begins=begins, unused=("feathers",)
        )

    def test_a_statement_that_is_not_there_while_its_import_is(self) -> None:
        with self.assertRaisesRegex(MissingAnchor, "forget"):
            self.assertCodemod(BEFORE, AFTER, begins="forget(", unused=("feathers",))
