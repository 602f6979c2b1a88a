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

from monty_tools.refactor.imports import NeededImport, with_import


class WithImportTest(unittest.TestCase):
    def assert_import(self, before: str, after: str, module: str, name: str) -> None:
        tree = cst.parse_module(textwrap.dedent(before))
        once = with_import(tree, NeededImport(module, name))
        self.assertEqual(once.code, textwrap.dedent(after))
        twice = with_import(once, NeededImport(module, name))
        self.assertEqual(twice.code, once.code)

    def test_a_new_first_import_of_a_block_keeps_the_line_above(self) -> None:
        before = """\
            import os

            from zoo.b import B
            """
        after = """\
            import os

            from zoo.a import A
            from zoo.b import B
            """
        self.assert_import(before, after, "zoo.a", "A")

    def test_between_and_after_others(self) -> None:
        before = "from zoo.a import A\nfrom zoo.c import C\n"
        self.assert_import(
            before,
            "from zoo.a import A\nfrom zoo.b import B\nfrom zoo.c import C\n",
            "zoo.b",
            "B",
        )
        self.assert_import(
            before,
            "from zoo.a import A\nfrom zoo.c import C\nfrom zoo.d import D\n",
            "zoo.d",
            "D",
        )

    def test_constants_classes_and_functions_are_in_order(self) -> None:
        self.assert_import(
            "from zoo import MAX, b\n", "from zoo import MAX, Bird, b\n", "zoo", "Bird"
        )

    def test_a_line_that_gets_too_long_is_broken(self) -> None:
        long_name = "a" * 60
        self.assert_import(
            f"from zoo import {long_name}\n",
            f"from zoo import (\n    {long_name},\n    bird_of_paradise,\n)\n",
            "zoo",
            "bird_of_paradise",
        )

    def test_a_file_with_only_other_imports_gets_a_block_of_its_own(self) -> None:
        self.assert_import(
            "import os\nx = 1\n", "import os\n\nfrom zoo import A\nx = 1\n", "zoo", "A"
        )

    def test_relative_imports_inner_imports_and_stars(self) -> None:
        self.assert_import("from zoo import *\n", "from zoo import *\n", "zoo", "A")
        before = "from . import A\ndef f():\n    from zoo import A\n"
        after = (
            "from . import A\n\nfrom zoo import A\ndef f():\n    from zoo import A\n"
        )
        self.assert_import(before, after, "zoo", "A")
