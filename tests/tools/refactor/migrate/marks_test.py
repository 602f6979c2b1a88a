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

from monty_tools.refactor.migrate.marks import Mark, marked, marks_in, unmarked

LONG = (
    "it does something that cannot be done in two halves, and more than one line says"
)


class MarksTest(unittest.TestCase):
    def setUp(self) -> None:
        module = cst.parse_module("\n# a comment\ndef f(): ...\n")
        self.module = module
        self.statement = module.body[0]

    def code(self, statement: cst.BaseStatement) -> str:
        return self.module.with_changes(body=[statement]).code

    def test_a_mark_is_read_as_it_was_written(self) -> None:
        for what in ("short", LONG, f"{LONG} {LONG}"):
            for indent in (0, 40):
                text = self.code(marked(self.statement, "a-rule", what, indent))
                self.assertEqual(marks_in(text), [Mark(3, "a-rule", what)])
                self.assertLessEqual(max(map(len, text.splitlines())), 88 - indent)

    def test_a_second_mark_takes_the_place_of_the_first(self) -> None:
        once = marked(self.statement, "a-rule", LONG, 0)
        self.assertEqual(self.code(marked(once, "a-rule", LONG, 0)), self.code(once))
        other = self.code(marked(once, "a-rule", "other", 0))
        self.assertEqual(marks_in(other), [Mark(3, "a-rule", "other")])

    def test_marks_of_other_rules_and_comments_stay(self) -> None:
        both = marked(marked(self.statement, "one", LONG, 0), "two", LONG, 0)
        text = self.code(unmarked(both, "one"))
        self.assertEqual(marks_in(text), [Mark(3, "two", LONG)])
        self.assertIn("# a comment", text)
        bare = unmarked(unmarked(both, "one"), "two")
        self.assertEqual(self.code(bare), self.module.code)
