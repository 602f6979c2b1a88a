# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adds a base class to a class, before its others."""

from __future__ import annotations

from typing import Sequence

import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext

from ..class_codemod import ClassCodemod
from ..imports import NeededImport

__all__ = ["AddBase"]


class AddBase(ClassCodemod):
    """Puts a base class first, so that its methods come before the others' ones.

    It does not look at what the bases define, nor at metaclasses.
    """

    def __init__(
        self,
        context: CodemodContext,
        class_name: str,
        base: str,
        imports: Sequence[NeededImport] = (),
    ) -> None:
        """Set up the codemod.

        Args:
            context: LibCST's context.
            class_name: The class.
            base: The name of the base class.
            imports: What makes the name known.
        """
        super().__init__(context, class_name, imports)
        self.base = base

    def already_done(self, definition: cst.ClassDef) -> bool:
        return any(m.matches(one, m.Arg(m.Name(self.base))) for one in definition.bases)

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        base = cst.Arg(cst.Name(self.base))
        if not definition.bases:
            return definition.with_changes(
                bases=[base], lpar=cst.LeftParen(), rpar=cst.RightParen()
            )
        separator = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
        return definition.with_changes(
            bases=[base.with_changes(comma=separator), *definition.bases]
        )
