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

from dataclasses import dataclass
from typing import Sequence

import libcst as cst
import libcst.matchers as m

from ..class_codemod import ClassCodemod, find_method, has_method, insert_methods
from ..nodes import method_from
from ..normal import same_code

__all__ = ["AddMethod"]


@dataclass(frozen=True, kw_only=True)
class AddMethod(ClassCodemod):
    """Adds a method that the class does not define yet.

    It does not look at base classes or subclasses, and it never replaces a method.

    Attributes:
        place_after: The method after which the new one stands.
        method: The source of the method, not indented.
        later: Names that identify the method as a later step changes it.
    """

    place_after: str
    method: str
    later: Sequence[str] = ()

    @property
    def target(self) -> str:
        return f"{self.class_name}.{method_from(self.method).name.value}"

    def already_done(self, definition: cst.ClassDef) -> bool:
        new = method_from(self.method)
        name = new.name.value
        if not has_method(definition, name):
            return False
        _, present = find_method(definition, name)
        return same_code(present, new) or any(
            m.findall(present, m.Name(one)) for one in self.later
        )

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, _ = find_method(definition, self.place_after)
        return insert_methods(definition, at + 1, [method_from(self.method)])
