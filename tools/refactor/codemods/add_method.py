# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adds a method to a class, after another one."""

from __future__ import annotations

from typing import Sequence

import libcst as cst
from libcst.codemod import CodemodContext

from ..class_codemod import ClassCodemod, find_method, has_method, insert_methods
from ..imports import NeededImport
from ..templates import method_from

__all__ = ["AddMethod"]


class AddMethod(ClassCodemod):
    """Adds a method that the class does not define yet.

    It does not look at base classes or subclasses, and it never replaces a method.
    """

    def __init__(
        self,
        context: CodemodContext,
        class_name: str,
        place_after: str,
        method: str,
        imports: Sequence[NeededImport] = (),
    ) -> None:
        """Set up the codemod.

        Args:
            context: LibCST's context.
            class_name: The class.
            place_after: The method after which the new one stands.
            method: The source of the method, not indented.
            imports: What the method needs.
        """
        super().__init__(context, class_name, imports)
        self.place_after = place_after
        self.method = method_from(method)

    def already_done(self, definition: cst.ClassDef) -> bool:
        return has_method(definition, self.method.name.value)

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, _ = find_method(definition, self.place_after)
        return insert_methods(definition, at + 1, [self.method])
