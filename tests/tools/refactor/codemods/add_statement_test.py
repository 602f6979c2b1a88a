# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from monty_tools.refactor.codemods.add_statement import AddStatement
from monty_tools.refactor.failures import MissingAnchor
from monty_tools.refactor.imports import NeededImport
from tests.tools.refactor.codemod_case import CodemodTestCase

ARGUMENTS = dict(class_name="Bird", method="sing", statement="self.breathe()")

BEFORE = '''
    import feathers

    class Bird:
        def sing(self):
            """Sing."""
            # Loud.
            self.chirp()
            # That was it.

        def fly(self):
            self.breathe()
'''

FIRST = '''
    import feathers

    class Bird:
        def sing(self):
            """Sing."""
            self.breathe()
            # Loud.
            self.chirp()
            # That was it.

        def fly(self):
            self.breathe()
'''

LAST = '''
    import feathers

    from air import Wind

    class Bird:
        def sing(self):
            """Sing."""
            # Loud.
            self.chirp()
            self.wind: Wind = Wind()
            # That was it.

        def fly(self):
            self.breathe()
'''


class AddStatementTest(CodemodTestCase):
    TRANSFORM = AddStatement

    def test_first_is_after_the_docstring(self) -> None:
        self.assertCodemod(BEFORE, FIRST, place="first", **ARGUMENTS)

    def test_last_comes_with_its_imports(self) -> None:
        arguments = {
            **ARGUMENTS,
            "statement": "self.wind: Wind = Wind()",
            "imports": (NeededImport("air", "Wind"),),
        }
        self.assertCodemod(BEFORE, LAST, place="last", **arguments)

    def test_first_without_a_docstring(self) -> None:
        before = """
            class Bird:
                def sing(self):
                    self.chirp()
        """
        after = """
            class Bird:
                def sing(self):
                    self.breathe()
                    self.chirp()
        """
        self.assertCodemod(before, after, place="first", **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        for place in ("first", "last"):
            self.assertCodemod(FIRST, FIRST, place=place, **ARGUMENTS)

    def test_a_missing_method_is_named(self) -> None:
        arguments = {**ARGUMENTS, "method": "swim"}
        with self.assertRaises(MissingAnchor) as caught:
            self.assertCodemod(BEFORE, BEFORE, place="last", **arguments)
        self.assertEqual(caught.exception.method, "swim")
