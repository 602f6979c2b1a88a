# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import unittest

import libcst as cst

from monty_tools.refactor.names import Names, names_of


def names(source: str) -> Names:
    return names_of(*cst.parse_module(source).body)


class NamesTest(unittest.TestCase):
    def assert_names(self, source: str, used: str = "", made: str = "") -> None:
        found = names(source)
        with self.subTest(source=source):
            self.assertEqual(found.used, set(used.split()))
            self.assertEqual(found.made_local, set(made.split()))

    def test_assignments(self) -> None:
        self.assert_names("a = b", used="b", made="a")
        self.assert_names("a, (b, *c) = d", used="d", made="a b c")
        self.assert_names("a.b = c[d] = e", used="a c d e")
        self.assert_names("a: T", used="T", made="a")
        self.assert_names("import a.b, c as d", made="a d")
        self.assert_names("with a as (b, c): pass", used="a", made="b c")
        self.assert_names("for a in b: c", used="b c", made="a")
        self.assert_names("del a", made="a")
        self.assert_names("c and (a := b)", used="b c", made="a")

    def test_names_that_are_not_variables(self) -> None:
        self.assert_names("a(b=c).d", used="a c")
        self.assert_names("f'{a!r:{b}} {{c}}'", used="a b")

    def test_functions_and_comprehensions_have_variables_of_their_own(self) -> None:
        self.assert_names("[a for a in b if c]", used="b c")
        self.assert_names("[x for x in x]", used="x")
        self.assert_names("lambda a, b=c: a + d", used="c d")
        self.assert_names(
            "@a\ndef f(b, c=d):\n    e = b\n    return e + g", used="a d g", made="f"
        )
        self.assert_names(
            "def f():\n    def g():\n        return a + b\n    a = 1",
            used="b",
            made="f",
        )

    def test_a_block(self) -> None:
        module = cst.parse_module("for a in b:\n    # c\n    d = a\n")
        found = names_of(cst.ensure_type(module.body[0], cst.For).body)
        self.assertEqual((found.used, found.made_local), ({"a"}, {"d"}))
