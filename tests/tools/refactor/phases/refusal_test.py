# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What is refused: each construct, by the line it stands on."""

from __future__ import annotations

import textwrap
import unittest

import libcst as cst
from libcst.codemod import CodemodContext

from monty_tools.refactor.codemods.split_phase import SplitPhase
from monty_tools.refactor.phases.refusal import CannotSplit

# Name, line of the refusal within the method, part of its reason, the method.
BY_THE_CALL = (
    ("for", 2, "a for loop", "def m(self):\n    for a in b:\n        self.work()"),
    ("while", 2, "a while loop", "def m(self):\n    while self.work(): pass"),
    (
        "else of a loop",
        2,
        "a for loop",
        "def m(self):\n    for a in b: pass\n    else: self.work()",
    ),
    (
        "try",
        2,
        "a try statement",
        "def m(self):\n    try:\n        self.work()\n    finally: pass",
    ),
    (
        "except",
        2,
        "a try statement",
        "def m(self):\n    try: pass\n    except E: self.work()",
    ),
    ("lambda", 2, "a lambda", "def m(self):\n    return lambda: self.work()"),
    (
        "function",
        2,
        "a nested function",
        "def m(self):\n    def f(): self.work()\n    f()",
    ),
    (
        "comprehension",
        2,
        "a comprehension",
        "def m(self):\n    return [self.work() for a in b]",
    ),
    (
        "generator expression",
        2,
        "a generator expression",
        "def m(self):\n    return sum(self.work() for a in b)",
    ),
    (
        "twice",
        3,
        "more than one call",
        "def m(self):\n    self.work()\n    self.work()",
    ),
    ("argument", 2, "other parts", "def m(self):\n    f(g(), self.work())"),
    ("function first", 2, "other parts", "def m(self):\n    f(self.work())"),
    ("second operand", 2, "other parts", "def m(self):\n    return a + self.work()"),
    ("after or", 2, "other parts", "def m(self):\n    return a or self.work()"),
    ("attribute += ", 2, "other parts", "def m(self):\n    self.a += self.work()"),
    ("item += ", 2, "other parts", "def m(self, a):\n    a[0] += self.work()"),
    ("second context", 2, "other parts", "def m(self):\n    with a, self.work(): pass"),
    ("assert", 2, "other parts", "def m(self):\n    assert self.work()"),
    (
        "passed",
        2,
        "passed and not called",
        "def m(self):\n    Thread(target=self.work, args=())",
    ),
)
BY_THE_METHOD = (
    ("docstring", 1, "a docstring", "def m(self):\n    'Doc.'; self.work()"),
    ("async", 1, "async", "async def m(self): self.work()"),
    ("generator", 3, "a generator", "def m(self):\n    self.work()\n    yield 1"),
    ("classmethod", 1, "decorator", "@classmethod\ndef m(self): self.work()"),
    ("property", 1, "decorator", "@property\ndef m(self): self.work()"),
    ("wrapper", 1, "decorator", "@timed(1)\ndef m(self): self.work()"),
    ("no instance", 1, "for the instance", "def m(*a): self.work()"),
    ("new list", 1, "the default of a", "def m(self, a=[]): self.work()"),
    ("global", 2, "global", "def m(self):\n    global a\n    self.work()"),
    ("locals", 3, "locals()", "def m(self):\n    self.work()\n    return locals()"),
    ("exec", 2, "exec()", "def m(self):\n    exec('a')\n    self.work()"),
    ("vars", 2, "vars()", "def m(self):\n    vars()\n    self.work()"),
    ("class cell", 3, "__class__", "def m(self):\n    self.work()\n    __class__"),
    ("mangled", 2, "__a", "def m(self):\n    __a = 1\n    self.work()"),
    ("other self", 2, "another value", "def m(self):\n    self = 1\n    self.work()"),
    (
        "match",
        2,
        "match",
        "def m(self, a):\n    match a:\n        case 1: pass\n    self.work()",
    ),
    (
        "defined twice",
        3,
        "defined twice",
        "def m(self): self.work()\n\ndef m(self): self.work()",
    ),
)
BY_VARIABLES = (
    ("not reached", 3, "never reached", "def m(self):\n    return\n    self.work()"),
    (
        "may have none",
        4,
        "b is used after the call, and may have no value",
        "def m(self, a):\n    if a: b = 1\n    self.work()\n    return b",
    ),
    (
        "deleted on some paths",
        5,
        "a is used after the call, and may have no value",
        "def m(self, a):\n    if self.b:\n        del a\n    self.work()\n    f(a)",
    ),
    (
        "swallowed",
        5,
        "b is used after the call, and may have no value",
        "def m(self):\n    with c:\n        b = 1\n        self.work()\n    f(b)",
    ),
    (
        "never has one",
        5,
        "b is used where it never has a value",
        "def m(self, a):\n    if a:\n        b = 1; return\n    self.work()\n    f(b)",
    ),
    (
        "added to without one",
        2,
        "b is used where it never has a value",
        "def m(self):\n    b += self.work()",
    ),
    (
        "assigned too late",
        3,
        "b is used before the call, and first assigned after",
        "def m(self):\n    f(b)\n    self.work()\n    b = 1",
    ),
    (
        "seen by a closure",
        3,
        "a is used by a function made before the call",
        "def m(self, a):\n    f = lambda: a\n    self.work()\n    a = 2\n    f()",
    ),
    (
        "seen by a generator",
        3,
        "a is used by a function made before the call",
        "def m(self, a):\n    f = (a for b in c)\n    self.work()\n    a = 2",
    ),
    (
        "nonlocal",
        2,
        "a is needed after the call, and nonlocal",
        "def m(self, a):\n    self.work()\n    def f(): nonlocal a; a = 2\n    f()",
    ),
)


class RefusalTest(unittest.TestCase):
    def test_where_the_call_stands(self) -> None:
        self.assert_refused(BY_THE_CALL)

    def test_what_the_method_is(self) -> None:
        self.assert_refused(BY_THE_METHOD)

    def test_what_becomes_of_variables(self) -> None:
        self.assert_refused(BY_VARIABLES)

    def assert_refused(self, cases: tuple[tuple[str, int, str, str], ...]) -> None:
        for name, line, reason, method in cases:
            with self.subTest(name), self.assertRaises(CannotSplit) as raised:
                _split(method)
            with self.subTest(name):
                self.assertIn(reason, raised.exception.construct)
                # The method begins on the third line.
                self.assertEqual(raised.exception.line, line + 2)

    def test_what_only_looks_like_it_is_split(self) -> None:
        for method in (
            "def m(self):\n    self.work()\n    for a in b: self.rest()",
            "def m(self):\n    for a in self.work(): pass",
            "def m(self):\n    with self.work() as a, b: pass",
            "def m(self, a=(1, X)):\n    return [self.work(), a]",
            "def m(self):\n    f(vars(a), a.__class__, a.__a)\n    self.work()",
            "def m(self):\n    f = lambda: (yield)\n    self.work()",
            "def m(self, a):\n    b = [a for a in a]\n    self.work()\n    a = 1",
            "def m(self):\n    return 2 * self.work()",
            "def m(self, a):\n    f = lambda a: a\n    self.work()\n    a = 2",
        ):
            with self.subTest(method):
                self.assertIn("def process_m", _split(method))


def _split(method: str) -> str:
    source = (
        "from __future__ import annotations\nclass A:\n"
        f"{textwrap.indent(method, '    ')}\n"
    )
    codemod = SplitPhase(CodemodContext(), class_name="A", method="m", call="self.work")
    return codemod.transform_module(cst.parse_module(source)).code
