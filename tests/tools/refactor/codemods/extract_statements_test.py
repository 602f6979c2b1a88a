# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from monty_tools.refactor.codemods.extract_statements import ExtractStatements
from monty_tools.refactor.failures import MissingAnchor
from monty_tools.refactor.imports import NeededImport
from tests.tools.refactor.codemod_case import CodemodTestCase

ARGUMENTS = dict(
    class_name="Flock",
    method="migrate",
    first="arrived = []",
    last="tired = [",
    variable="tired",
    extracted='def _tired(self, home):\n    """Return the tired birds."""\n',
    by="tired = rested(home)\nif not tired:\n    tired = self._tired(home)\n",
    imports=(NeededImport("sky", "rested"),),
)

BEFORE = '''
    class Flock:
        def migrate(self, home):
            """Migrate."""
            self.leave(home)

            # == On the way ==

            # those that fly
            arrived = []
            for bird in self.birds:
                arrived.append(home(bird))
            # those that rest
            tired = [bird for bird in arrived if bird]

            # the others too
            self.rest(tired)

        class Flock:
            def migrate(self, home):
                arrived = []
'''

AFTER = '''
    from sky import rested
    class Flock:
        def migrate(self, home):
            """Migrate."""
            self.leave(home)

            tired = rested(home)
            if not tired:
                tired = self._tired(home)

            # the others too
            self.rest(tired)

        def _tired(self, home):
            """Return the tired birds."""
            # == On the way ==

            # those that fly
            arrived = []
            for bird in self.birds:
                arrived.append(home(bird))
            # those that rest
            tired = [bird for bird in arrived if bird]
            return tired

        class Flock:
            def migrate(self, home):
                arrived = []
'''


class ExtractStatementsTest(CodemodTestCase):
    TRANSFORM = ExtractStatements

    def test_statements_become_a_method(self) -> None:
        self.assertCodemod(BEFORE, AFTER, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, **ARGUMENTS)

    def test_missing_statements_are_named(self) -> None:
        for argument in ("first", "last"):
            arguments = {**ARGUMENTS, argument: "while hungry"}
            with self.subTest(argument), self.assertRaises(MissingAnchor) as caught:
                self.assertCodemod(BEFORE, BEFORE, **arguments)
            self.assertIn("while hungry", str(caught.exception))

    def test_a_last_statement_before_the_first_is_refused(self) -> None:
        arguments = {**ARGUMENTS, "last": "self.leave("}
        with self.assertRaisesRegex(MissingAnchor, "self.leave"):
            self.assertCodemod(BEFORE, BEFORE, **arguments)
