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
from typing import Sequence

import libcst as cst

from monty_tools.refactor.phases.flow import Assigned, Flow


def body_of(source: str) -> Sequence[cst.BaseStatement]:
    return cst.parse_module(textwrap.dedent(source)).body


class LiveTest(unittest.TestCase):
    def assert_live(self, source: str, expected: str) -> None:
        flow = Flow(body_of(source))
        live = flow.live(flow.start) & set("abcdefg")
        self.assertEqual(live, set(expected.split()), source)

    def test_names_read_before_they_are_assigned(self) -> None:
        self.assert_live("a = b\nc = a", "b")
        self.assert_live("a += 1", "a")
        self.assert_live("del a", "a")
        self.assert_live("x = [a for a in b]\na", "a b")

    def test_on_some_path(self) -> None:
        self.assert_live("if a: b = 1\nelse: pass\nb", "a b")
        self.assert_live("if a: b = 1\nelse: b = 2\nb", "a")
        self.assert_live("if a: b = 1\nelif c: return\nelse: raise d\nb", "a c d")
        self.assert_live("for a in b: c\nd", "b c d")
        self.assert_live("for a in b: c = 1\nelse: c = 2\nc", "b")
        self.assert_live("for a in b:\n    if c: break\nelse: d = 1\nd", "b c d")
        self.assert_live("while a:\n    b\n    b = 1", "a b")
        self.assert_live("while True:\n    a = 1\n    break\na", "")

    def test_after_an_exception(self) -> None:
        self.assert_live("try: a = 1\nexcept E: pass\na", "a")
        self.assert_live("try: f()\nexcept E: a = 1\nelse: a = 2\na", "f")
        self.assert_live("try:\n    return\nfinally:\n    a", "a")
        self.assert_live("try: a = 1\nexcept E as e: e\ne", "e")
        self.assert_live("with a: b = 1\nb", "a b")

    def test_a_closure_reads_later(self) -> None:
        self.assert_live("f = lambda: a\na = 1\nf()", "a")


class AssignedTest(unittest.TestCase):
    def assigned(self, source: str) -> Assigned:
        flow = Flow(body_of(source))
        return flow.assigned(["p"], ())[flow.end]

    def assert_assigned(self, source: str, surely: str, possibly: str) -> None:
        found = self.assigned(source)
        self.assertEqual(found.surely, {"p", *surely.split()}, source)
        self.assertEqual(found.possibly, {"p", *possibly.split()}, source)

    def test_on_every_path_or_on_some(self) -> None:
        self.assert_assigned("a = 1", "a", "a")
        self.assert_assigned("if p: a = 1", "", "a")
        self.assert_assigned("if p: a = 1\nelse: return", "a", "a")
        self.assert_assigned("for a in p: b = 1", "", "a b")
        self.assert_assigned("while True:\n    a = 1\n    if p: break", "a", "a")
        self.assert_assigned("a = 1\nif p: del a", "", "a")
        self.assert_assigned("p and (a := 1)", "", "a")

    def test_after_an_exception(self) -> None:
        self.assert_assigned("try: a = 1\nexcept E: pass", "", "a")
        self.assert_assigned("try: a = 1\nexcept E: raise", "a", "a")
        self.assert_assigned("try: a = 1\nfinally: b = 1", "a b", "a b")
        self.assert_assigned("e = 1\ntry: f()\nexcept E as e: pass", "", "e")
        self.assert_assigned(
            """
            e = 1
            try:
                try: f()
                except E as e: g()
            except F: pass
            """,
            "",
            "e",
        )

    def test_a_with_may_swallow_an_exception(self) -> None:
        self.assert_assigned("with p: a = 1", "", "a")

    def test_control_is_not_followed_beyond_a_stop(self) -> None:
        body = body_of("a = 1\nif p:\n    b = 2\n    c = 3\nd = 4")
        flow = Flow(body)
        stop = flow.entry(body[1].body.body[1])
        reached = flow.assigned(["p"], [stop])
        self.assertEqual(reached[stop].surely, {"a", "b", "p"})
        self.assertEqual(reached[flow.end].possibly, {"a", "d", "p"})
