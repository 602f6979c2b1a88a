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
        self.assertCodemod(
            AFTER, "\n    import wings\n", begins="register(", unused=("feathers",)
        )
