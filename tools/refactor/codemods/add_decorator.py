# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adds a decorator to a method."""

from __future__ import annotations

from typing import Sequence

import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext

from ..class_codemod import ClassCodemod, find_method, replace_method
from ..imports import NeededImport

__all__ = ["AddDecorator"]


class AddDecorator(ClassCodemod):
    """Puts a decorator on a method, outside the existing ones.

    It does not look at overrides of the method in subclasses.
    """

    def __init__(
        self,
        context: CodemodContext,
        class_name: str,
        method: str,
        decorator: str,
        imports: Sequence[NeededImport] = (),
    ) -> None:
        """Set up the codemod.

        Args:
            context: LibCST's context.
            class_name: The class.
            method: The method.
            decorator: The name of the decorator.
            imports: The imports that provide the name.
        """
        super().__init__(context, class_name, imports)
        self.method = method
        self.decorator = decorator

    def already_done(self, definition: cst.ClassDef) -> bool:
        _, method = find_method(definition, self.method)
        named = m.Decorator(m.Name(self.decorator))
        return any(m.matches(one, named) for one in method.decorators)

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(definition, self.method)
        decorator = cst.Decorator(cst.Name(self.decorator))
        decorated = method.with_changes(decorators=[decorator, *method.decorators])
        return replace_method(definition, at, [decorated])
