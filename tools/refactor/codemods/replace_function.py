# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Has a method call another function in the place of one."""

from __future__ import annotations

from typing import Sequence

import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext

from ..class_codemod import ClassCodemod, find_method, replace_method
from ..imports import NeededImport, without_import
from ..nodes import replaced_all

__all__ = ["ReplaceFunction"]


class ReplaceFunction(ClassCodemod):
    """Replaces a function that a method calls by one that takes the same arguments.

    The import of the former goes if nothing else in the module names it.

    It does not look at other methods.
    """

    def __init__(
        self,
        context: CodemodContext,
        class_name: str,
        method: str,
        function: NeededImport,
        by: NeededImport,
        later: Sequence[str] = (),
    ) -> None:
        """Set up the codemod.

        Args:
            context: LibCST's context.
            class_name: The class.
            method: The method.
            function: The function that it calls.
            by: The function to call.
            later: Functions that later steps put in the place of that one.
        """
        super().__init__(context, class_name, (by,))
        self.method = method
        self.function = function
        self.by = by
        self.later = later

    def already_done(self, definition: cst.ClassDef) -> bool:
        _, method = find_method(definition, self.method)
        return any(
            m.findall(method, m.Call(func=m.Name(name)))
            for name in (self.by.name, *self.later)
        )

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(definition, self.method)
        called = m.Call(func=m.Name(self.function.name))
        if not m.findall(method, called):
            raise self.missing(f"a call of {self.function.name}", self.method)
        function = cst.Name(self.by.name)
        method = replaced_all(
            method, called, lambda call: call.with_changes(func=function)
        )
        return replace_method(definition, at, [method])

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        changed = super().transform_module_impl(tree)
        return tree if changed is tree else without_import(changed, self.function)
