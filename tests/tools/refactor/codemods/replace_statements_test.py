# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from monty_tools.refactor.codemods.replace_statements import ReplaceStatements
from monty_tools.refactor.failures import MissingAnchor
from monty_tools.refactor.imports import NeededImport
from tests.tools.refactor.codemod_case import CodemodTestCase

ARGUMENTS = dict(
    class_name="Flock",
    method="migrate",
    first="arrived = []",
    last="for bird in self.birds",
    by="arrived = flown(\n    self.birds\n)\nrest(arrived)\n",
    imports=(NeededImport("sky.routes", "flown"),),
    unused=("threading", "Song", "wings"),
)

BEFORE = """
    import threading

    from nest.songs import Song, hum
    from sky import wings

    class Flock:
        def migrate(self):
            hum()
            if self.birds:
                self.count()

                # those that fly
                arrived = []
                start()
                for bird in self.birds:
                    threading.Thread(target=Song(bird)).start()
                    arrived.append(wings(bird))
                # now count again
                self.count(arrived)
            return wings
"""

AFTER = """
    from nest.songs import hum
    from sky import wings
    from sky.routes import flown

    class Flock:
        def migrate(self):
            hum()
            if self.birds:
                self.count()

                arrived = flown(
                    self.birds
                )
                rest(arrived)
                # now count again
                self.count(arrived)
            return wings
"""


class ReplaceStatementsTest(CodemodTestCase):
    TRANSFORM = ReplaceStatements

    def test_statements_and_unused_imports_are_replaced(self) -> None:
        self.assertCodemod(BEFORE, AFTER, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, **ARGUMENTS)

    def test_one_statement_is_replaced(self) -> None:
        arguments = dict(ARGUMENTS, first="hum()", last=None, by="sing()\n", imports=())
        after = BEFORE.replace("    hum()", "    sing()").replace("Song, hum", "Song")
        self.assertCodemod(BEFORE, after, **{**arguments, "unused": ("hum", "Song")})

    def test_comments_stay_where_one_statement_replaces_one(self) -> None:
        before = BEFORE.replace("    hum()", "    # softly\n            hum()  # low")
        after = before.replace("    hum()", "    sing()")
        arguments = dict(first="hum()", last=None, by="sing()\n", imports=(), unused=())
        for text in (before, after):
            self.assertCodemod(text, after, **{**ARGUMENTS, **arguments})

    def test_missing_statements_are_named(self) -> None:
        for argument in ("first", "last"):
            arguments = {**ARGUMENTS, argument: "while hungry"}
            with self.subTest(argument), self.assertRaises(MissingAnchor) as caught:
                self.assertCodemod(BEFORE, BEFORE, **arguments)
            self.assertIn("while hungry", str(caught.exception))
