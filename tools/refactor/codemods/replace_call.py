# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Makes a method call something else."""

from __future__ import annotations

from typing import Sequence

import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext
from libcst.helpers import get_full_name_for_node

from ..class_codemod import ClassCodemod, find_method, replace_method
from ..imports import NeededImport
from ..nodes import replaced_all

__all__ = ["ReplaceCall"]


class ReplaceCall(ClassCodemod):
    """Turns, for example, `make(array)` into `self.keeper.make(key, array)`."""

    def __init__(
        self,
        context: CodemodContext,
        class_name: str,
        method: str,
        function: str,
        by: str,
        first: str | None = None,
        imports: Sequence[NeededImport] = (),
    ) -> None:
        """Set up the codemod.

        Args:
            context: LibCST's context.
            class_name: The class.
            method: The method.
            function: What it calls, as it is named there.
            by: What it calls instead.
            first: Its new first argument, before the former ones; None if the
                arguments stay the same.
            imports: The imports that provide these names.
        """
        super().__init__(context, class_name, imports)
        self.method = method
        self.function = function
        self.by = by
        self.first = first

    def already_done(self, definition: cst.ClassDef) -> bool:
        _, method = find_method(definition, self.method)
        return bool(m.findall(method, m.Call(func=_named(self.by))))

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(definition, self.method)
        called = m.Call(func=_named(self.function))
        if not m.findall(method, called):
            raise self.missing(f"a call of {self.function}", self.method)
        method = replaced_all(method, called, self._other)
        return replace_method(definition, at, [method])

    def _other(self, node: cst.CSTNode) -> cst.Call:
        call = cst.ensure_type(node, cst.Call)
        args = [*call.args]
        if self.first is not None:
            args.insert(0, cst.Arg(cst.parse_expression(self.first)))
        return call.with_changes(func=cst.parse_expression(self.by), args=args)


def _named(name: str) -> m.MatchIfTrue:
    return m.MatchIfTrue(lambda node: get_full_name_for_node(node) == name)
