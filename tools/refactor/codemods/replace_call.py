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

from dataclasses import dataclass
from typing import Sequence

import libcst as cst
import libcst.matchers as m
from libcst.helpers import get_full_name_for_node

from ..class_codemod import MethodCodemod
from ..nodes import replaced_all

__all__ = ["ReplaceCall"]


@dataclass(frozen=True, kw_only=True)
class ReplaceCall(MethodCodemod):
    """Turns, for example, `make(array)` into `self.keeper.make(key, array)`.

    Attributes:
        function: What the method calls, as it is named there.
        by: What it calls instead.
        first: Its new first arguments, before the former ones.
        dropped: Keyword arguments that it does not take.
        later: Functions with which later steps replace that one.
    """

    function: str
    by: str
    first: str = ""
    dropped: Sequence[str] = ()
    later: Sequence[str] = ()

    def is_done(self, method: cst.FunctionDef) -> bool:
        by = get_full_name_for_node(cst.parse_expression(self.by))
        names = (by, *self.later)
        found = any(m.findall(method, m.Call(func=_named(one))) for one in names)
        return found and not m.findall(method, m.Call(func=_named(self.function)))

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        called = m.Call(func=_named(self.function))
        if not m.findall(method, called):
            raise self.missing(f"a call of {self.function}")
        return [replaced_all(method, called, self._other)]

    def _other(self, node: cst.CSTNode) -> cst.Call:
        call = cst.ensure_type(node, cst.Call)
        new = cst.ensure_type(cst.parse_expression(f"f({self.first})"), cst.Call)
        kept = [arg for arg in call.args if self._is_kept(arg)]
        if kept and kept[-1] is not call.args[-1]:
            kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        args = [*new.args, *kept]
        return call.with_changes(func=cst.parse_expression(self.by), args=args)

    def _is_kept(self, arg: cst.Arg) -> bool:
        return arg.keyword is None or arg.keyword.value not in self.dropped


def _named(name: str | None) -> m.MatchIfTrue:
    return m.MatchIfTrue(lambda node: get_full_name_for_node(node) == name)
