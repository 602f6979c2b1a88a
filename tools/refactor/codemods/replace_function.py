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

from dataclasses import dataclass
from typing import Sequence

import libcst as cst
import libcst.matchers as m

from ..class_codemod import MethodCodemod
from ..imports import NeededImport, with_import, without_import
from ..nodes import replaced_all

__all__ = ["ReplaceFunction"]


@dataclass(eq=False, kw_only=True)
class ReplaceFunction(MethodCodemod):
    """Replaces a function that a method calls by one that takes the same arguments.

    It removes the import of the former if nothing else in the module uses it.

    It does not look at other methods.

    Attributes:
        function: The function that the method calls.
        by: The function to call.
        later: Functions with which later steps replace that one.
    """

    function: NeededImport
    by: NeededImport
    later: Sequence[str] = ()

    def is_done(self, method: cst.FunctionDef) -> bool:
        names = (self.by.name, *self.later)
        return any(m.findall(method, m.Call(func=m.Name(name))) for name in names)

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        called = m.Call(func=m.Name(self.function.name))
        if not m.findall(method, called):
            raise self.missing(f"a call of {self.function.name}")
        by = cst.Name(self.by.name)
        return [replaced_all(method, called, lambda call: call.with_changes(func=by))]

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        changed = super().transform_module_impl(tree)
        if changed is tree:
            return tree
        return without_import(with_import(changed, self.by), self.function.name)
