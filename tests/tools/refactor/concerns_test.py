# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import textwrap
import unittest

import libcst as cst
import libcst.matchers as m

from monty_tools.refactor.concerns import Concerns
from monty_tools.refactor.failures import CannotDivide

CONCERNS = Concerns({"red": m.Name("red"), "blue": m.Name("blue")}, rest="grey")


def part(concern: str, source: str) -> str:
    # In a function, as LibCST keeps the first comment of a module apart.
    body = textwrap.indent(textwrap.dedent(source), "    ")
    function = cst.ensure_type(
        cst.parse_statement(f"def f():\n{body}"), cst.FunctionDef
    )
    statements = CONCERNS.part(concern, function.body.body)
    return "".join(cst.Module([]).code_for_node(statement) for statement in statements)


class ConcernsTest(unittest.TestCase):
    def assert_parts(self, source: str, **expected: str) -> None:
        for concern in ("red", "blue", "grey"):
            with self.subTest(concern):
                self.assertEqual(part(concern, source), expected.get(concern, ""))

    def test_statements_go_to_their_concern_with_their_comments(self) -> None:
        self.assert_parts(
            """\
            # about red
            red = 1  # one

            grey = 2

            # about blue
            use(blue)
            """,
            red="# about red\nred = 1  # one\n",
            grey="grey = 2\n",
            blue="# about blue\nuse(blue)\n",
        )

    def test_a_string_goes_with_what_follows(self) -> None:
        self.assert_parts(
            '"""A note."""\nred = 1\ngrey = 2\n',
            red='"""A note."""\nred = 1\n',
            grey="grey = 2\n",
        )

    def test_branches_are_repeated_where_they_are_needed(self) -> None:
        self.assert_parts(
            """\
            # why
            if a:
                red = 1
                grey = 1
            else:
                if c:
                    grey = 2
                red = 3
            """,
            red="if a:\n    red = 1\nelse:\n    red = 3\n",
            grey="# why\nif a:\n    grey = 1\nelif c:\n    grey = 2\n",
        )

    def test_a_chain_of_branches(self) -> None:
        source = "if a:\n    red = 1\nelif b:\n    red = 2\n    blue = 1\n"
        self.assertEqual(
            part("red", source), "if a:\n    red = 1\nelif b:\n    red = 2\n"
        )

    def test_a_branch_of_one_concern_is_not_divided(self) -> None:
        self.assert_parts("if a:\n    grey = 1\n", grey="if a:\n    grey = 1\n")

    def test_a_statement_of_two_concerns_is_refused(self) -> None:
        with self.assertRaisesRegex(CannotDivide, "red = blue"):
            part("red", "red = blue\n")

    def test_a_concern_only_in_an_else_is_refused(self) -> None:
        with self.assertRaisesRegex(CannotDivide, "only the else"):
            part("blue", "if a:\n    red = 1\nelse:\n    blue = 1\n")
