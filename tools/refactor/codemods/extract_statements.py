# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Moves statements of a method into a method of its own."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from ..class_codemod import MethodCodemod, find_method, has_method
from ..nodes import (
    consecutive,
    has_statements,
    method_from,
    statements_of,
    with_statements,
)

__all__ = ["ExtractStatements"]


@dataclass(frozen=True, kw_only=True)
class ExtractStatements(MethodCodemod):
    """Moves consecutive statements into a new method, which returns a variable.

    Comments move with their statements. Others take their place; they must call the
    new method, and assign what the rest of the method reads: the codemod does not look
    at that.

    Attributes:
        first: How the first statement begins, as text: `for bird in flock`.
        last: How the last one begins.
        variable: What the new method returns.
        extracted: The new method, with a docstring and no statements.
        by: The statements that take their place.
    """

    first: str
    last: str
    variable: str
    extracted: str
    by: str

    def already_done(self, definition: cst.ClassDef) -> bool:
        _, method = find_method(definition, self.method)
        name = method_from(self.extracted).name.value
        return has_method(definition, name) and has_statements(method, self.by)

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        statements = statements_of(method.body)
        found = consecutive(statements, self.first, self.last)
        if found is None:
            raise self.missing(f"{self.first} to {self.last}")
        moved = statements[found.start : found.stop]
        new = list(cst.parse_module(self.by).body)
        lines = moved[0].leading_lines
        gap = 1 if lines and lines[0].comment is None else 0  # stays where it is
        new[0] = new[0].with_changes(leading_lines=lines[:gap])
        moved[0] = moved[0].with_changes(leading_lines=lines[gap:])
        extracted = method_from(self.extracted)
        returning = cst.parse_statement(f"return {self.variable}")
        body = [*statements_of(extracted.body), *moved, returning]
        kept = [*statements[: found.start], *new, *statements[found.stop :]]
        return [with_statements(method, kept), with_statements(extracted, body)]
