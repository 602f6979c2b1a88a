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

from monty_tools.refactor.codemods.extract_method import ExtractMethod
from monty_tools.refactor.failures import MissingAnchor

ARGUMENTS = dict(
    class_name="LM",
    method="compute",
    call="self.update",
    variable="query",
    extracted='def _query(self, seen):\n    """Return the query."""\n',
    assignment="query = self._query(seen)",
)

BEFORE = '''
    class LM:
        def compute(self, ctx, seen):
            """Compute."""
            # how it is asked
            query = [seen]
            log(query)

            self.update(ctx, query=query)
'''

AFTER = '''
    class LM:
        def compute(self, ctx, seen):
            """Compute."""
            query = self._query(seen)
            self.update(ctx, query=query)

        def _query(self, seen):
            """Return the query."""
            # how it is asked
            query = [seen]
            log(query)
            return query
'''


class ExtractMethodTest(CodemodTest):
    TRANSFORM = ExtractMethod

    def test_statements_before_the_call_become_a_method(self) -> None:
        self.assertCodemod(BEFORE, AFTER, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, **ARGUMENTS)

    def test_a_method_that_does_not_end_with_the_call_is_refused(self) -> None:
        for source in (
            BEFORE + "            self.more()\n",
            BEFORE.replace("self.update", "self.other"),
        ):
            with self.assertRaisesRegex(MissingAnchor, "self.update"):
                self.assertCodemod(source, source, **ARGUMENTS)
