# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Lets a method remember what a function made of the same numbers."""

from __future__ import annotations

from typing import Sequence

import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext
from libcst.helpers import get_full_name_for_node

from ..class_codemod import ClassCodemod, find_method, replace_method
from ..failures import MissingAnchor
from ..imports import NeededImport

__all__ = ["RememberCall"]


class RememberCall(ClassCodemod):
    """Turns `make(array)` into `remembered(make, array)`."""

    def __init__(
        self,
        context: CodemodContext,
        class_name: str,
        method: str,
        function: str,
        remember: str,
        imports: Sequence[NeededImport] = (),
    ) -> None:
        """Set up the codemod.

        Args:
            context: LibCST's context.
            class_name: The class.
            method: The method.
            function: What it calls, with one argument, as it is named there.
            remember: The name of what calls it instead, if need be.
            imports: What makes that name known.
        """
        super().__init__(context, class_name, imports)
        self.method = method
        self.function = function
        self.remember = remember
        one_argument = [m.Arg(keyword=None, star="")]
        self._call = m.Call(func=self._named(), args=one_argument)

    def already_done(self, definition: cst.ClassDef) -> bool:
        _, method = find_method(definition, self.method)
        remembering = m.Call(
            func=m.Name(self.remember), args=[m.Arg(self._named()), m.Arg()]
        )
        return bool(m.findall(method, remembering))

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(definition, self.method)
        if not m.findall(method, self._call):
            raise MissingAnchor(
                f"a call of {self.function} with one argument",
                class_name=self.class_name,
                method=self.method,
            )
        remembering = m.replace(
            method, self._call, lambda call, _: self._remembering(call)
        )
        return replace_method(definition, at, [remembering])

    def _named(self) -> m.MatchIfTrue:
        return m.MatchIfTrue(lambda node: get_full_name_for_node(node) == self.function)

    def _remembering(self, call: cst.Call) -> cst.Call:
        return call.with_changes(
            func=cst.Name(self.remember), args=[cst.Arg(call.func), *call.args]
        )
