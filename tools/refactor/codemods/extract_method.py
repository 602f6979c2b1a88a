# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Moves the start of a method into a method of its own."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from ..class_codemod import MethodCodemod, has_method
from ..nodes import DOCSTRING, method_from, statements_of, with_statements

__all__ = ["ExtractMethod"]


@dataclass(eq=False, kw_only=True)
class ExtractMethod(MethodCodemod):
    """Moves all statements before a call into a new method, which returns a variable.

    The method calls the new one instead. Its docstring stays.

    It does not look for other variables that the moved statements assign: the rest of
    the method must be nothing but the call.

    Attributes:
        call: What the method calls in its last statement: `self.work`.
        variable: What the moved statements assign.
        extracted: The new method, with a docstring and no statements.
        assignment: The statement that takes the place of those moved.
    """

    call: str
    variable: str
    extracted: str
    assignment: str

    def already_done(self, definition: cst.ClassDef) -> bool:
        return has_method(definition, method_from(self.extracted).name.value)

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        statements = statements_of(method.body)
        documented = [one for one in statements[:1] if m.matches(one, DOCSTRING)]
        *moved, last = statements[len(documented) :]
        called = m.Call(func=m.MatchIfTrue(cst.parse_expression(self.call).deep_equals))
        calling = m.SimpleStatementLine(body=[m.Expr(called)])
        if not moved or not m.matches(last, calling):
            raise self.missing(f"statements, and a call of {self.call} after them")
        assignment = cst.parse_statement(self.assignment)
        kept = [*documented, assignment, last.with_changes(leading_lines=[])]
        returning = cst.parse_statement(f"return {self.variable}")
        extracted = method_from(self.extracted)
        body = [*statements_of(extracted.body), *moved, returning]
        return [with_statements(method, kept), with_statements(extracted, body)]
