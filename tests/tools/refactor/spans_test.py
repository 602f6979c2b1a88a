# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a rewrite takes away, and that layout and comments do not count."""

from __future__ import annotations

import textwrap
import unittest

import libcst as cst

from monty_tools.refactor.codemods.add_statement import AddStatement
from monty_tools.refactor.codemods.replace_statements import ReplaceStatements
from monty_tools.refactor.fingerprints import fingerprint
from monty_tools.refactor.spans import Span, spans_between

BEFORE = """\
class Flock:
    def migrate(self, where):
        hum()
        # Those that fly.
        arrived = []
        start()
        for bird in self.birds:
            arrived.append(bird)
        return arrived
"""

REPLACE = ReplaceStatements(
    class_name="Flock",
    method="migrate",
    first="arrived = []",
    last="for bird",
    by="arrived = flown(self.birds)",
)


def taken(text: str, codemod=REPLACE) -> list[Span]:
    before = cst.parse_module(textwrap.dedent(text))
    return spans_between(before, codemod.transform_module(before, {}.__getitem__))


class SpansTest(unittest.TestCase):
    def test_all_from_the_first_to_the_last_statement_is_taken(self) -> None:
        [span] = taken(BEFORE)
        self.assertEqual(span.place, "Flock.migrate")
        self.assertEqual(len(span.forms), 3)
        self.assertIn("start()", span.text)

    def test_what_is_only_added_takes_nothing(self) -> None:
        add = AddStatement(
            class_name="Flock", method="migrate", statement="hush()", place="last"
        )
        self.assertEqual(taken(BEFORE, add), [])

    def test_what_an_added_return_passes_over_is_taken(self) -> None:
        add = AddStatement(
            class_name="Flock",
            method="migrate",
            statement="if self.tired:\n    return []\n",
            place="first",
        )
        [span] = taken(BEFORE, add)
        self.assertEqual(len(span.forms), 5)

    def test_comments_blank_lines_and_layout_have_the_same_fingerprint(self) -> None:
        expected = fingerprint(taken(BEFORE))
        for old, new in (
            ("# Those that fly.\n", "# Why.\n\n"),
            ("start()", "(start())  # Now."),
            (
                "arrived.append(bird)",
                "arrived.append(\n                bird,\n            )",
            ),
            ("hum()", "hum(loud)"),
            ("self, where", "self, where: str, how=None"),
        ):
            with self.subTest(new):
                self.assertEqual(fingerprint(taken(BEFORE.replace(old, new))), expected)

    def test_any_change_in_it_has_another_fingerprint(self) -> None:
        expected = fingerprint(taken(BEFORE))
        for old, new in (
            ("start()", "start(1)"),
            ("        start()\n", ""),
            ("start()", "start()\n        go()"),
            ("append(bird)", "append(bird)\n            go()"),
            ("        return", "        else:\n            go()\n        return"),
        ):
            with self.subTest(new):
                text = BEFORE.replace(old, new)
                self.assertNotEqual(fingerprint(taken(text)), expected)
