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

from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from ..class_codemod import MethodCodemod

__all__ = ["AddDecorator"]


@dataclass(frozen=True, kw_only=True)
class AddDecorator(MethodCodemod):
    """Puts a decorator on a method, outside the existing ones.

    It does not look at overrides of the method in subclasses.

    Attributes:
        decorator: The name of the decorator.
    """

    decorator: str

    def is_done(self, method: cst.FunctionDef) -> bool:
        named = m.Decorator(m.Name(self.decorator))
        return any(m.matches(one, named) for one in method.decorators)

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        decorator = cst.Decorator(cst.Name(self.decorator))
        return [method.with_changes(decorators=[decorator, *method.decorators])]
