# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adds an optional parameter to a class's `__init__`, with its documentation."""

from __future__ import annotations

from typing import Sequence

import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext

from ..class_codemod import ClassCodemod, find_method, replace_method
from ..failures import MissingAnchor
from ..imports import NeededImport

__all__ = ["AddInitParameter"]

_LINE_BREAK = m.Comma(whitespace_after=m.ParenthesizedWhitespace())
_DOCSTRING = m.SimpleStatementLine(body=[m.Expr(m.SimpleString())])
_SPACE = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


class AddInitParameter(ClassCodemod):
    """Adds a parameter after the others, an `Args` entry, and statements at the end.

    It does not touch subclasses or callers: the parameter is optional, so that those
    which do not know it, or pass keywords on, go on working.
    """

    def __init__(
        self,
        context: CodemodContext,
        class_name: str,
        parameter: str,
        documentation: str,
        statement: str,
        imports: Sequence[NeededImport] = (),
    ) -> None:
        """Set up the codemod.

        Args:
            context: LibCST's context.
            class_name: The class.
            parameter: The parameter as in a signature, with annotation and default.
            documentation: What its `Args` entry says, a line a line.
            statement: The statement that uses it, put last in `__init__`.
            imports: What the parameter and the statement need.
        """
        super().__init__(context, class_name, imports)
        signature = cst.ensure_type(
            cst.parse_statement(f"def f({parameter}): pass"), cst.FunctionDef
        )
        self.parameter = signature.params.params[0]
        self.documentation = documentation
        self.statement = statement

    def already_done(self, definition: cst.ClassDef) -> bool:
        _, init = find_method(definition, "__init__")
        names = [parameter.name.value for parameter in init.params.params]
        return self.parameter.name.value in names

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        at, init = find_method(definition, "__init__")
        body = [*init.body.body, cst.parse_statement(self.statement)]
        body[0] = self._documented(body[0])
        init = init.with_changes(
            params=init.params.with_changes(params=self._parameters(init.params)),
            body=init.body.with_changes(body=body),
        )
        return replace_method(definition, at, [init])

    def _parameters(self, parameters: cst.Parameters) -> list[cst.Param]:
        *others, last = parameters.params
        if not (others and m.matches(last.comma, _LINE_BREAK)):
            return [
                *others,
                last.with_changes(comma=_SPACE),
                self.parameter.with_changes(comma=last.comma),
            ]
        # Indented as the others are; a comment stays on the line it was on.
        rest_of_line = last.comma.whitespace_after.first_line
        separator = others[-1].comma.with_deep_changes(
            others[-1].comma.whitespace_after, first_line=rest_of_line
        )
        end = last.comma.with_deep_changes(
            last.comma.whitespace_after, first_line=cst.TrailingWhitespace()
        )
        return [
            *others,
            last.with_changes(comma=separator),
            self.parameter.with_changes(comma=end),
        ]

    def _documented(self, first: cst.BaseStatement) -> cst.BaseStatement:
        if not m.matches(first, _DOCSTRING) or "Args:" not in _text(first):
            raise MissingAnchor(
                "a docstring with an Args section",
                class_name=self.class_name,
                method="__init__",
            )
        text = _with_entry(_text(first), self.parameter.name.value, self.documentation)
        return first.with_deep_changes(first.body[0].value, value=text)


def _text(docstring: cst.SimpleStatementLine) -> str:
    return docstring.body[0].value.value


def _with_entry(docstring: str, name: str, documentation: str) -> str:
    lines = docstring.split("\n")
    start = next(at for at, line in enumerate(lines) if line.strip() == "Args:")
    indent = lines[start][: -len("Args:")]
    end = start + 1
    while end < len(lines) and lines[end].startswith(indent + "    "):
        end += 1
    first, *rest = documentation.split("\n")
    entry = [f"{indent}    {name}: {first}"]
    entry += [f"{indent}        {line}" for line in rest]
    return "\n".join([*lines[:end], *entry, *lines[end:]])
