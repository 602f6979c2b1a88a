# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Each construct that is refused, with its reason."""

from __future__ import annotations

import textwrap
import unittest

from monty_tools.refactor.phases.refusal import Refused
from tests.tools.refactor.phases.splitting import split

BY_THE_CALL = (
    ("for", "a for loop", "def m(self):\n    for a in b:\n        self.work()"),
    ("while", "a while loop", "def m(self):\n    while self.work(): pass"),
    (
        "else of a loop",
        "a for loop",
        "def m(self):\n    for a in b: pass\n    else: self.work()",
    ),
    (
        "try",
        "a try statement",
        "def m(self):\n    try:\n        self.work()\n    finally: pass",
    ),
    (
        "except",
        "a try statement",
        "def m(self):\n    try: pass\n    except E: self.work()",
    ),
    ("lambda", "a lambda", "def m(self):\n    return lambda: self.work()"),
    (
        "function",
        "a nested function",
        "def m(self):\n    def f(): self.work()\n    f()",
    ),
    (
        "comprehension",
        "a comprehension",
        "def m(self):\n    return [self.work() for a in b]",
    ),
    (
        "generator expression",
        "a generator expression",
        "def m(self):\n    return sum(self.work() for a in b)",
    ),
    (
        "twice",
        "more than one call",
        "def m(self):\n    self.work()\n    self.work()",
    ),
    ("argument", "uses what", "def m(self):\n    f(g(), self.work())"),
    ("assigned", "uses what", "def m(self):\n    a = self.work()"),
    ("operand", "uses what", "def m(self):\n    return 2 * self.work()"),
    (
        "left by return",
        "several contexts",
        "def m(self):\n    with a, b:\n        return self.work()",
    ),
    ("iterated", "uses what", "def m(self):\n    for a in self.work(): pass"),
    ("context", "uses what", "def m(self):\n    with self.work(): pass"),
    ("condition", "uses what", "def m(self):\n    if self.work(): pass"),
    ("assert", "uses what", "def m(self):\n    assert self.work()"),
    (
        "passed",
        "passed and not called",
        "def m(self):\n    Thread(target=self.work, args=())",
    ),
)
BY_THE_METHOD = (
    ("docstring", "a docstring", "def m(self):\n    'Doc.'; self.work()"),
    ("async", "async", "async def m(self): self.work()"),
    ("generator", "a generator", "def m(self):\n    self.work()\n    yield 1"),
    ("classmethod", "decorator", "@classmethod\ndef m(self): self.work()"),
    ("property", "decorator", "@property\ndef m(self): self.work()"),
    ("wrapper", "decorator", "@timed(1)\ndef m(self): self.work()"),
    ("no instance", "for the instance", "def m(*a): self.work()"),
    ("new list", "the default of a", "def m(self, a=[]): self.work()"),
    ("global", "global", "def m(self):\n    global a\n    self.work()"),
    ("locals", "locals()", "def m(self):\n    self.work()\n    return locals()"),
    ("exec", "exec()", "def m(self):\n    exec('a')\n    self.work()"),
    ("vars", "vars()", "def m(self):\n    vars()\n    self.work()"),
    ("class cell", "__class__", "def m(self):\n    self.work()\n    __class__"),
    ("mangled", "__a", "def m(self):\n    __a = 1\n    self.work()"),
    ("other self", "another value", "def m(self):\n    self = 1\n    self.work()"),
    (
        "match",
        "match",
        "def m(self, a):\n    match a:\n        case 1: pass\n    self.work()",
    ),
)
BY_VARIABLES = (
    ("not reached", "never reached", "def m(self):\n    return\n    self.work()"),
    (
        "may have none",
        "b is used after the call, and may have no value",
        "def m(self, a):\n    if a: b = 1\n    self.work()\n    return b",
    ),
    (
        "deleted on some paths",
        "a is used after the call, and may have no value",
        "def m(self, a):\n    if self.b:\n        del a\n    self.work()\n    f(a)",
    ),
    (
        "swallowed",
        "b is used after the call, and may have no value",
        "def m(self):\n    with c:\n        b = 1\n        self.work()\n    f(b)",
    ),
    (
        "never has one",
        "b is used where it never has a value",
        "def m(self, a):\n    if a:\n        b = 1; return\n    self.work()\n    f(b)",
    ),
    (
        "assigned too late",
        "b is used before the call, and first assigned after",
        "def m(self):\n    f(b)\n    self.work()\n    b = 1",
    ),
    (
        "seen by a closure",
        "a is used by a function made before the call",
        "def m(self, a):\n    f = lambda: a\n    self.work()\n    a = 2\n    f()",
    ),
    (
        "seen by a generator",
        "a is used by a function made before the call",
        "def m(self, a):\n    f = (a for b in c)\n    self.work()\n    a = 2",
    ),
    (
        "nonlocal",
        "a is needed after the call, and nonlocal",
        "def m(self, a):\n    self.work()\n    def f(): nonlocal a; a = 2\n    f()",
    ),
)


class RefusalTest(unittest.TestCase):
    def test_by_the_position_of_the_call(self) -> None:
        self.assert_refused(BY_THE_CALL)

    def test_by_the_kind_of_method(self) -> None:
        self.assert_refused(BY_THE_METHOD)

    def test_by_the_use_of_variables(self) -> None:
        self.assert_refused(BY_VARIABLES)

    def assert_refused(self, cases: tuple[tuple[str, str, str], ...]) -> None:
        for name, reason, method in cases:
            with self.subTest(name), self.assertRaises(Refused) as raised:
                _split(method)
            with self.subTest(name):
                self.assertIn(reason, str(raised.exception))

    def test_methods_that_only_look_alike_are_split(self) -> None:
        for method in (
            "def m(self):\n    self.work()\n    for a in b: self.rest()",
            "def m(self, a=(1, X)):\n    self.work()\n    return a",
            "def m(self):\n    f(vars(a), a.__class__, a.__a)\n    return self.work()",
            "def m(self):\n    f = lambda: (yield)\n    self.work()",
            "def m(self, a):\n    b = [a for a in a]\n    self.work()\n    a = 1",
            "def m(self, a):\n    f = lambda a: a\n    self.work()\n    a = 2",
        ):
            with self.subTest(method):
                self.assertNotIn("def m(", _split(method))


def _split(method: str) -> str:
    return split(f"class A:\n{textwrap.indent(method, '    ')}\n", "self.work")
