# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Replaces an expression of a method."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from ..class_codemod import MethodCodemod
from ..nodes import replaced_all
from ..normal import same_code

__all__ = ["ReplaceExpression"]


@dataclass(frozen=True, kw_only=True)
class ReplaceExpression(MethodCodemod):
    """Replaces an expression by another one, wherever it stands in a method.

    The codemod does not look at the variables that the other one reads.

    Attributes:
        expression: The expression, as text: `len(flock.birds)`.
        by: The other one.
        written_again: Whether another rewrite of the step writes the expression, too.
    """

    expression: str
    by: str
    written_again: bool = False

    def is_done(self, method: cst.FunctionDef) -> bool:
        found = bool(m.findall(method, _same_as(self.by)))
        return found and (
            self.written_again or not m.findall(method, _same_as(self.expression))
        )

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        former = _same_as(self.expression)
        if not m.findall(method, former):
            raise self.missing(self.expression)
        return [replaced_all(method, former, cst.parse_expression(self.by))]


def _same_as(expression: str) -> m.MatchIfTrue:
    wanted = cst.parse_expression(expression)
    return m.MatchIfTrue(
        lambda node: type(node) is type(wanted) and same_code(node, wanted)
    )
