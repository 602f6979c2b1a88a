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

from monty_tools.refactor.imports import NeededImport
from monty_tools.refactor.phases.stdlib_imports import with_stdlib_import

DATACLASS = NeededImport("dataclasses", "dataclass")


class WithStdlibImportTest(unittest.TestCase):
    def assert_import(self, before: str, after: str) -> None:
        once = with_stdlib_import(cst.parse_module(before), DATACLASS)
        self.assertEqual(once.code, after)
        self.assertEqual(with_stdlib_import(once, DATACLASS).code, after)

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
