# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Removes a method that repeats the one it overrides."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from ..class_codemod import MethodCodemod, find_method, has_method
from ..codemod import Read
from ..nodes import find_all, statements_of, with_statements

__all__ = ["RemoveRepeatedMethod"]


@dataclass(frozen=True, kw_only=True)
class RemoveRepeatedMethod(MethodCodemod):
    """Removes an override whose code is that of the base class's method.

    It compares the two as they are in the tree and removes nothing if they differ. It
    does not look at what else the class or its bases override.

    Attributes:
        base_file: The file of the base class, as a path below `tbp/monty`.
        base_class: The base class.
    """

    base_file: str
    base_class: str

    def already_done(self, definition: cst.ClassDef) -> bool:
        return not has_method(definition, self.method)

    def transform_module(self, tree: cst.Module, read: Read) -> cst.Module:
        changed = super().transform_module(tree, read)
        if changed is not tree:
            self._check(tree, read(self.base_file))
        return changed

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, _ = find_method(definition, self.method)
        body = statements_of(definition.body)
        del body[at]
        return with_statements(definition, body)

    def _check(self, tree: cst.Module, base: cst.Module) -> None:
        method, repeated = (
            _method(module, name, self.method)
            for module, name in ((tree, self.class_name), (base, self.base_class))
        )
        if method is None or repeated is None or not repeated.deep_equals(method):
            raise self.missing(f"a method that repeats {self.base_class}.{self.method}")


def _method(tree: cst.Module, class_name: str, name: str) -> cst.FunctionDef | None:
    """Return a method without the lines above it."""
    for one in find_all(tree, cst.ClassDef, m.ClassDef(name=m.Name(class_name))):
        if has_method(one, name):
            return find_method(one, name)[1].with_changes(leading_lines=[])
    return None
