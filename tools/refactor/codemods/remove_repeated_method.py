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
from typing import Callable

import libcst as cst
import libcst.matchers as m

from ..class_codemod import MethodCodemod, find_method, has_method
from ..nodes import find_all, statements_of, with_statements

__all__ = ["MODULES", "RemoveRepeatedMethod"]

MODULES = "modules"
"""The key in a context of the function that reads other modules of the same tree."""


@dataclass(eq=False, kw_only=True)
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

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(definition, self.method)
        read: Callable[[str], cst.Module] = self.context.scratch[MODULES]
        named = m.ClassDef(name=m.Name(self.base_class))
        bases = find_all(read(f"tbp/monty/{self.base_file}"), cst.ClassDef, named)
        repeated = find_method(bases[0], self.method)[1] if bases else None
        if repeated is None or not _bare(repeated).deep_equals(_bare(method)):
            raise self.missing(f"a method that repeats {self.base_class}.{self.method}")
        body = statements_of(definition.body)
        del body[at]
        return with_statements(definition, body)


def _bare(method: cst.FunctionDef) -> cst.FunctionDef:
    return method.with_changes(leading_lines=[])
