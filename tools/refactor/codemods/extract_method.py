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

from typing import Sequence

import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext

from ..class_codemod import ClassCodemod, find_method, has_method, replace_method
from ..imports import NeededImport
from ..nodes import DOCSTRING, statements_of, with_statements
from ..templates import method_from

__all__ = ["ExtractMethod"]


class ExtractMethod(ClassCodemod):
    """Moves all statements before a call into a new method, which returns a variable.

    The method calls the new one instead. Its docstring stays.

    It does not look for other variables that the moved statements assign: the rest of
    the method must be nothing but the call.
    """

    def __init__(
        self,
        context: CodemodContext,
        class_name: str,
        method: str,
        call: str,
        variable: str,
        extracted: str,
        assignment: str,
        imports: Sequence[NeededImport] = (),
    ) -> None:
        """Set up the codemod.

        Args:
            context: LibCST's context.
            class_name: The class.
            method: The method.
            call: What it calls in its last statement: `self.work`.
            variable: What the moved statements assign.
            extracted: The new method, with a docstring and no statements.
            assignment: The statement that takes the place of those moved.
            imports: What the new method needs.
        """
        super().__init__(context, class_name, imports)
        self.method = method
        self.call = call
        self.variable = variable
        self.extracted = method_from(extracted)
        self.assignment = assignment

    def already_done(self, definition: cst.ClassDef) -> bool:
        return has_method(definition, self.extracted.name.value)

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(definition, self.method)
        statements = statements_of(method.body)
        documented = [one for one in statements[:1] if m.matches(one, DOCSTRING)]
        *moved, last = statements[len(documented) :]
        called = m.Call(func=m.MatchIfTrue(cst.parse_expression(self.call).deep_equals))
        calling = m.SimpleStatementLine(body=[m.Expr(called)])
        if not moved or not m.matches(last, calling):
            looked_for = f"statements, and a call of {self.call} after them"
            raise self.missing(looked_for, self.method)
        assignment = cst.parse_statement(self.assignment)
        kept = [*documented, assignment, last.with_changes(leading_lines=[])]
        returning = cst.parse_statement(f"return {self.variable}")
        extracted = with_statements(
            self.extracted, [*statements_of(self.extracted.body), *moved, returning]
        )
        return replace_method(
            definition, at, [with_statements(method, kept), extracted]
        )
