# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Makes a method call another function."""

from __future__ import annotations

from typing import Sequence

import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext

from ..class_codemod import find_method
from ..imports import NeededImport, without_import
from .replace_call import ReplaceCall

__all__ = ["ReplaceFunction"]


class ReplaceFunction(ReplaceCall):
    """Replaces a function that a method calls by one that takes the same arguments.

    It removes the import of the former if nothing else in the module uses it.

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
            later: Functions with which later steps replace that one.
        """
        super().__init__(
            context, class_name, method, function.name, by.name, imports=(by,)
        )
        self.former = function
        self.later = later

    def already_done(self, definition: cst.ClassDef) -> bool:
        _, method = find_method(definition, self.method)
        called = [m.Call(func=m.Name(name)) for name in self.later]
        return super().already_done(definition) or any(
            m.findall(method, one) for one in called
        )

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        changed = super().transform_module_impl(tree)
        return tree if changed is tree else without_import(changed, self.former)
