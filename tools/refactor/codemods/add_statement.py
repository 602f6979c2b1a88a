# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adds a statement to a method, as its first or its last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Sequence

import libcst as cst
import libcst.matchers as m

from ..class_codemod import MethodCodemod
from ..nodes import DOCSTRING, statements_of, with_statements
from ..normal import same_code

__all__ = ["AddStatement"]


@dataclass(frozen=True, kw_only=True)
class AddStatement(MethodCodemod):
    """Adds a statement that the method does not have yet.

    A last statement is not reached if the method returns before its end; the codemod
    does not check this.

    Attributes:
        statement: The statement.
        place: Where it goes; the first stands after the docstring.
        later: Names that identify a statement with which a later step replaced this
            one.
    """

    statement: str
    place: Literal["first", "last"]
    later: Sequence[str] = ()

    def is_done(self, method: cst.FunctionDef) -> bool:
        if any(m.findall(method, m.Name(name)) for name in self.later):
            return True
        statement = cst.parse_statement(self.statement)
        return any(same_code(statement, one) for one in statements_of(method.body))

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        body = statements_of(method.body)
        first = 1 if m.matches(body[0], DOCSTRING) else 0
        at = first if self.place == "first" else len(body)
        body.insert(at, cst.parse_statement(self.statement))
        return [with_statements(method, body)]
