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
from pathlib import Path
from unittest.mock import patch

import libcst as cst

from monty_tools.refactor.migrate import rule
from monty_tools.refactor.migrate.class_index import ClassIndex
from monty_tools.refactor.migrate.elision import Elided
from monty_tools.refactor.migrate.rule import PythonFile
from monty_tools.refactor.migrate.rules_in_order import RULES
from tests.tools.refactor.migrate.command_test import AFTER, BEFORE

TEXT = '''\
"""A module."""
import sys
# a comment
@decorated
def first():
    return """
step
"""

one = 1; two = 2
import os; three = 3
def step(): ...

# the end
class Last:
    x = 1
    # in the class
'''


def elided(text: str, word: str = "step()") -> Elided:
    return Elided(text, lambda part: word in part)


class ElidedTest(unittest.TestCase):
    def test_what_is_left(self) -> None:
        self.assertEqual(
            elided(TEXT).text,
            '''\
"""A module."""
import sys
# a comment
pass  # __monty_refactor_elided__ 0
import os; three = 3
def step(): ...

# the end
pass  # __monty_refactor_elided__ 1
    # in the class
''',
        )

    def test_restoring_gives_the_text_back_around_what_has_changed(self) -> None:
        whole = elided(TEXT)
        self.assertEqual(whole.restored(whole.text), TEXT)
        changed = whole.text.replace("def step", "x = 1\ndef dispatch_step")
        expected = TEXT.replace("def step", "x = 1\ndef dispatch_step")
        self.assertEqual(whole.restored(changed), expected)

    def test_lines_are_those_of_the_whole_text(self) -> None:
        whole = elided(TEXT)
        left, lines = whole.text.splitlines(), TEXT.splitlines()
        for number, line in enumerate(left, 1):
            if "elided" not in line:
                self.assertEqual(lines[whole.line(number) - 1], line)

    def test_a_mark_that_is_no_longer_needed_is_removed(self) -> None:
        mark = "# monty-refactor[former-method]: pre_step is used\n"
        start = "import os\none = 1\n"
        text = f"{start}{mark}two = 2\nupdater.pre_step()\n"
        file = PythonFile(Path("/a.py"), ClassIndex({Path("/a.py"): text}))
        made, _ = rule.rewritten(text, file, RULES)
        self.assertEqual(made, text.replace(mark, ""))

    def test_what_cannot_be_divided_stays_whole(self) -> None:
        for text in ("def step(:\n" + TEXT, TEXT.replace("two = 2\n", "two = 2\r\n")):
            self.assertEqual(elided(text).text, text)

    def test_only_what_a_rule_applies_to_is_parsed(self) -> None:
        rest = "".join(f"\n\ndef other_{at}():\n    return {at}\n" for at in range(999))
        path, text = Path("/lm.py"), BEFORE + rest
        file = PythonFile(path, ClassIndex({path: text}))
        with patch.object(cst, "parse_module", wraps=cst.parse_module) as parse:
            made, changes = rule.rewritten(text, file, RULES)
        self.assertEqual(made, AFTER + rest)
        self.assertEqual([one.line for one in changes], [7])
        parsed = [call.args[0].count("\n") for call in parse.call_args_list]
        self.assertLess(max(parsed), 20)
