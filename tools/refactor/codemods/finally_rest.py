# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Has the other statements of a method run however the first one ends."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from ..class_codemod import MethodCodemod
from ..nodes import statements_of, with_statements

__all__ = ["FinallyRest"]


@dataclass(frozen=True, kw_only=True)
class FinallyRest(MethodCodemod):
    """Turns what follows the first statement of a method into its `finally`.

    It does not look at what follows: a `return` there would swallow an exception of the
    first statement.

    Attributes:
        statement: The first statement.
    """

    statement: str

    def is_done(self, method: cst.FunctionDef) -> bool:
        [first, *others] = statements_of(method.body)
        return (
            not others and isinstance(first, cst.Try) and self._begins_with(first.body)
        )

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        if not self._begins_with(method.body):
            raise self.missing(f"{self.statement}, first")
        first, *rest = statements_of(method.body)
        finalbody = cst.Finally(method.body.with_changes(body=rest))
        block = cst.Try(cst.IndentedBlock([first]), finalbody=finalbody)
        return [with_statements(method, [block])]

    def _begins_with(self, block: cst.BaseSuite) -> bool:
        first = statements_of(block)[0].with_changes(leading_lines=[])
        return first.deep_equals(cst.parse_statement(self.statement))
