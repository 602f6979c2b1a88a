# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Tests a codemod with text before and after."""

from __future__ import annotations

import textwrap
import unittest
from typing import Any

import libcst as cst

from monty_tools.refactor.codemod import Codemod
from monty_tools.refactor.ruff import Ruff


class CodemodTestCase(unittest.TestCase):
    TRANSFORM: type[Codemod]

    def assertCodemod(  # noqa: N802 as LibCST calls its own
        self,
        before: str,
        after: str,
        others: dict[str, str] | None = None,
        **settings: Any,
    ) -> None:
        """Check what the codemod makes of a module, beside others by their paths."""
        modules = {file: _module(text) for file, text in (others or {}).items()}
        codemod = self.TRANSFORM(**settings)
        result = codemod.transform_module(_module(before), modules.__getitem__)
        # Codemods do not lay out what they write.
        made, wanted = (
            Ruff().laid_out("", code) for code in (result.code, _module(after).code)
        )
        self.assertEqual(made.strip(), wanted.strip())


def _module(text: str) -> cst.Module:
    return cst.parse_module(textwrap.dedent(text).strip() + "\n")
