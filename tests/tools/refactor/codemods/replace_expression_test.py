# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from monty_tools.refactor.codemods.replace_expression import ReplaceExpression
from monty_tools.refactor.failures import MissingAnchor
from monty_tools.refactor.imports import NeededImport
from tests.tools.refactor.codemod_case import CodemodTestCase

ARGUMENTS = dict(
    class_name="Flock",
    method="migrate",
    expression="len(self.nests[home].eggs)",
    by="egg_count(self.nests[home])",
    imports=(NeededImport("sky", "egg_count"),),
)

BEFORE = """
    class Flock:
        def migrate(self, home):
            # at home
            if len(self.nests[home].eggs) == 1:
                return False
            if self.tired:
                # later
                return len(self.nests[home].eggs), len(self.nests)
            return len(self.nests[other].eggs)

        def rest(self, home):
            return len(self.nests[home].eggs)

        class Flock:
            def migrate(self, home):
                return len(self.nests[home].eggs)
"""

AFTER = """
    from sky import egg_count
    class Flock:
        def migrate(self, home):
            # at home
            if egg_count(self.nests[home]) == 1:
                return False
            if self.tired:
                # later
                return egg_count(self.nests[home]), len(self.nests)
            return len(self.nests[other].eggs)

        def rest(self, home):
            return len(self.nests[home].eggs)

        class Flock:
            def migrate(self, home):
                return len(self.nests[home].eggs)
"""


class ReplaceExpressionTest(CodemodTestCase):
    TRANSFORM = ReplaceExpression

    def test_it_is_replaced_wherever_it_stands(self) -> None:
        self.assertCodemod(BEFORE, AFTER, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, **ARGUMENTS)

    def test_an_import_of_another_name_is_left_alone(self) -> None:
        aliased = "from sky import egg_count as counted"
        before = f"\n    {aliased}\n" + BEFORE.lstrip("\n")
        after = AFTER.replace("egg_count\n", "egg_count, egg_count as counted\n", 1)
        self.assertCodemod(before, after, **ARGUMENTS)

    def test_what_is_missing_is_named(self) -> None:
        for argument, missing in (("method", "fly"), ("expression", "len(self.sky)")):
            arguments = {**ARGUMENTS, argument: missing}
            with self.subTest(argument), self.assertRaises(MissingAnchor) as caught:
                self.assertCodemod(BEFORE, BEFORE, **arguments)
            self.assertIn(missing, str(caught.exception))
