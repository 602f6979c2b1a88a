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

from typing import Literal, Sequence

import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext

from ..class_codemod import ClassCodemod, find_method, replace_method
from ..imports import NeededImport
from ..nodes import DOCSTRING, statements_of, with_statements

__all__ = ["AddStatement"]


class AddStatement(ClassCodemod):
    """Adds a statement that the method does not have yet.

    A last statement is not reached if the method returns before its end; the codemod
    does not check this.
    """

    def __init__(
        self,
        context: CodemodContext,
        class_name: str,
        method: str,
        statement: str,
        place: Literal["first", "last"],
        later: Sequence[str] = (),
        imports: Sequence[NeededImport] = (),
    ) -> None:
        """Set up the codemod.

        Args:
            context: LibCST's context.
            class_name: The class.
            method: The method.
            statement: The statement.
            place: Where it goes; the first stands after the docstring.
            later: Names that identify a statement with which a later step replaced
                this one.
            imports: What the statement needs.
        """
        super().__init__(context, class_name, imports)
        self.method = method
        self.statement = cst.parse_statement(statement)
        self.place = place
        self.later = later

    def already_done(self, definition: cst.ClassDef) -> bool:
        _, method = find_method(definition, self.method)
        if any(m.findall(method, m.Name(name)) for name in self.later):
            return True
        bare = [
            one.with_changes(leading_lines=[]) for one in statements_of(method.body)
        ]
        return any(self.statement.deep_equals(one) for one in bare)

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(definition, self.method)
        body = statements_of(method.body)
        if self.place == "last":
            body.append(self.statement)
        else:
            body.insert(1 if m.matches(body[0], DOCSTRING) else 0, self.statement)
        return replace_method(definition, at, [with_statements(method, body)])
