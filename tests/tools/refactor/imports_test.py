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

from monty_tools.refactor.imports import NeededImport, with_import, without_import
from monty_tools.refactor.ruff import Ruff


class WithImportTest(unittest.TestCase):
    def assert_import(self, before: str, after: str, module: str, name: str) -> None:
        needed = NeededImport(module, name)
        once = with_import(cst.parse_module(before), needed)
        self.assertEqual(Ruff().laid_out(before, once.code), after)
        self.assertEqual(with_import(once, needed).code, once.code)

    def test_it_comes_to_its_place_among_sorted_imports(self) -> None:
        first, last = "from tbp.a import A\n", "from tbp.c import C\n"
        before = f"import os\n\n{first}{last}"
        after = f"import os\n\n{first}from tbp.b import B\n{last}"
        self.assert_import(before, after, "tbp.b", "B")
        after = f"import os\nfrom abc import B\n\n{first}{last}"
        self.assert_import(before, after, "abc", "B")

    def test_imports_that_were_not_sorted_stay_where_they_are(self) -> None:
        before = "import zoo\nimport os\n"
        self.assert_import(before, f"{before}from abc import ABC\n", "abc", "ABC")

    def test_another_name_of_the_module(self) -> None:
        after = "from zoo import MAX, Bird, b\n"
        self.assert_import("from zoo import MAX, b\n", after, "zoo", "Bird")

    def test_a_line_that_gets_too_long_is_broken(self) -> None:
        long_name = "a" * 70
        before = f"from zoo import {long_name}\n"
        after = f"from zoo import (\n    {long_name},\n    bird,\n)\n"
        self.assert_import(before, after, "zoo", "bird")

    def test_a_module_without_imports(self) -> None:
        after = '"""Doc."""\n\nfrom zoo import A\n\nx = 1\n'
        self.assert_import('"""Doc."""\n\nx = 1\n', after, "zoo", "A")

    def test_relative_and_inner_imports_do_not_count_and_stars_do(self) -> None:
        self.assert_import("from zoo import *\n", "from zoo import *\n", "zoo", "A")
        inner = "def f():\n    from zoo import A\n"
        tree = with_import(
            cst.parse_module(f"from . import A\n{inner}"), NeededImport("zoo", "A")
        )
        self.assertEqual(tree.code, f"from . import A\nfrom zoo import A\n{inner}")


class WithoutImportTest(unittest.TestCase):
    def test_only_what_nothing_uses_goes(self) -> None:
        for before, after in (
            ("import a\nx = 1\n", "x = 1\n"),
            ("import a\nx = a\n", "import a\nx = a\n"),
            ("from m import a, b\nx = b\n", "from m import b\nx = b\n"),
            ("from m import c as a\nx = 1\n", "from m import c as a\nx = 1\n"),
        ):
            with self.subTest(before):
                tree = without_import(cst.parse_module(before), "a")
                self.assertEqual(tree.code, after)
