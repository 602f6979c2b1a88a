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

DATACLASS = NeededImport("dataclasses", "dataclass")


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


class WithStdlibImportTest(unittest.TestCase):
    def assert_import(self, before: str, after: str) -> None:
        once = with_import(cst.parse_module(before), DATACLASS)
        self.assertEqual(once.code, after)
        self.assertEqual(with_import(once, DATACLASS).code, after)

    def test_between_the_other_modules(self) -> None:
        self.assert_import(
            "import os\nfrom abc import ABC\nfrom typing import Any\n\nimport libcst\n",
            "import os\nfrom abc import ABC\nfrom dataclasses import dataclass\n"
            "from typing import Any\n\nimport libcst\n",
        )

    def test_before_the_first(self) -> None:
        self.assert_import(
            '"""Doc."""\n\nfrom typing import Any\n',
            '"""Doc."""\n\nfrom dataclasses import dataclass\nfrom typing import Any\n',
        )

    def test_after_the_plain_imports(self) -> None:
        self.assert_import(
            "import os\n\nimport libcst\nfrom .here import there\n",
            "import os\nfrom dataclasses import dataclass\n\n"
            "import libcst\nfrom .here import there\n",
        )

    def test_a_block_of_its_own(self) -> None:
        self.assert_import(
            "from __future__ import annotations\n\nimport libcst\n",
            "from __future__ import annotations\n\n"
            "from dataclasses import dataclass\n\nimport libcst\n",
        )

    def test_a_block_of_its_own_after_the_docstring(self) -> None:
        self.assert_import(
            '"""Doc."""\n\nimport libcst\n',
            '"""Doc."""\n\nfrom dataclasses import dataclass\n\nimport libcst\n',
        )

    def test_first_in_a_module_without_imports(self) -> None:
        self.assert_import("x = 1\n", "from dataclasses import dataclass\nx = 1\n")

    def test_another_name_of_the_module(self) -> None:
        self.assert_import(
            "from dataclasses import field\n",
            "from dataclasses import dataclass, field\n",
        )
