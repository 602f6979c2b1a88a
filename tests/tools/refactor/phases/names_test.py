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

from monty_tools.refactor.phases.names import Names, names_of


def names(source: str) -> Names:
    return names_of(*cst.parse_module(source).body)


class NamesTest(unittest.TestCase):
    def assert_names(self, source: str, **expected: str) -> None:
        found = names(source)
        for kind in ("used", "bound", "maybe_bound", "unbound", "captured"):
            with self.subTest(source=source, kind=kind):
                wanted = set(expected.get(kind, "").split())
                self.assertEqual(getattr(found, kind), wanted)

    def test_assignments(self) -> None:
        self.assert_names("a = b", used="b", bound="a")
        self.assert_names("a, (b, *c) = d", used="d", bound="a b c")
        self.assert_names("a.b = c[d] = e", used="a c d e")
        self.assert_names("a += b", used="a b", bound="a")
        self.assert_names("a: T = b", used="b", bound="a")
        self.assert_names("a: T")
        self.assert_names("import a.b, c as d", bound="a d")
        self.assert_names("from a import b, c as d", bound="b d")
        self.assert_names("with a as (b, c): pass", used="a", bound="b c")
        self.assert_names("for a in b: c", used="b c", bound="a")
        self.assert_names("del a, b.c", used="a b", unbound="a")

    def test_names_that_are_not_variables(self) -> None:
        self.assert_names("a(b=c).d", used="a c")
        self.assert_names("f'{a!r:{b}} {{c}}'", used="a b")

    def test_a_walrus_may_not_be_reached(self) -> None:
        self.assert_names("(a := b)", used="b", bound="a")
        self.assert_names("c and (a := b)", used="b c", maybe_bound="a")
        self.assert_names("(a := b) if c else d", used="b c d", maybe_bound="a")
        self.assert_names("b < c < (a := d)", used="b c d", maybe_bound="a")
        self.assert_names("assert (a := b)", used="b", maybe_bound="a")
        self.assert_names("[(a := b) for b in c]", used="c", maybe_bound="a")

    def test_comprehensions_have_variables_of_their_own(self) -> None:
        self.assert_names("[a for a in b if c]", used="b c")
        self.assert_names("{a: b for a, b in c for d in a}", used="c")
        self.assert_names("[x for x in x]", used="x")
        self.assert_names("(a for b in c)", used="a c", captured="a c")
        self.assert_names("[lambda: a for b in c]", used="a c", captured="a")

    def test_functions_use_names_that_are_not_local(self) -> None:
        self.assert_names("lambda a, b=c: a + d", used="c d", captured="d")
        self.assert_names(
            "@a\ndef f(b, c=d):\n    e = b\n    return e + g",
            used="a d g",
            bound="f",
            captured="g",
        )
        self.assert_names(
            "def f():\n    def g():\n        return a + b\n    a = 1",
            used="b",
            bound="f",
            captured="b",
        )
        self.assert_names(
            "def f():\n    global a\n    a = b", used="b", bound="f", captured="b"
        )
        self.assert_names("class A(b):\n    c = d", used="b d", bound="A", captured="d")

    def test_names_that_a_function_rebinds_outside(self) -> None:
        found = names("def f():\n    nonlocal a\n    a = 1")
        self.assertEqual(found.nonlocals, {"a"})
        self.assertEqual(found.captured, {"a"})
