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

from tests.tools.refactor.unused_names import unused_names


class UnusedNamesTest(unittest.TestCase):
    def assert_unused(self, expected: list[str], text: str, other: str = "") -> None:
        upstream = {"up.py": "class Up:\n    def step(self): ...\n"}
        found = unused_names({"new.py": text}, {"other.py": other}, upstream)
        self.assertEqual(found, [("new.py", name) for name in expected])

    def test_names_that_nothing_uses(self) -> None:
        text = "_A = 1\nB: int = 2\ndef f(): ...\nclass C:\n    def m(self): ...\n"
        self.assert_unused(["_A", "B", "f", "C", "C.m"], text)

    def test_names_that_another_file_uses(self) -> None:
        text = "A = 1\ndef f(): ...\nclass C:\n    def m(self): ...\n"
        self.assert_unused([], text, "new.f(new.A); new.C().m()")

    def test_a_definition_does_not_use_itself(self) -> None:
        self.assert_unused(["f"], "def f(n):\n    return f(n - 1)\n")

    def test_exports_and_imports_do_not_count_as_use(self) -> None:
        text = "__all__ = ['f']\ndef f(): ...\n"
        self.assert_unused(["f"], text, "from new import f\n__all__ = ['f']\n")

    def test_an_imported_name_may_change(self) -> None:
        text = "def f(): ...\n"
        self.assert_unused([], text, "from new import f as g\ng()\n")

    def test_strings_that_name_something(self) -> None:
        text = "def f(): ...\n"
        self.assert_unused([], text, "getattr(new, 'f')")
        self.assert_unused([], text, "'package.new:f'")
        self.assert_unused(["f"], text, "print('f')")

    def test_overrides_of_the_librarys_methods(self) -> None:
        text = "class C(threading.Thread):\n    def run(self): ...\n"
        self.assert_unused([], text, "C")

    def test_overrides_of_upstreams_methods(self) -> None:
        text = "class C(Up):\n    def step(self): ...\n    def own(self): ...\n"
        self.assert_unused(["C.own"], text, "C; D")
        text = f"{text}class D(C):\n    def step(self): ...\n    def own(self): ...\n"
        self.assert_unused(["C.own", "D.own"], text, "C; D")
