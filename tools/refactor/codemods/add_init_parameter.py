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

from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from ..class_codemod import MethodCodemod
from ..nodes import (
    DOCSTRING,
    Statement,
    find_all,
    parsed,
    statements_of,
    with_statements,
)
from ..normal import same_code

__all__ = ["AddInitParameter"]


@dataclass(frozen=True, kw_only=True)
class AddInitParameter(MethodCodemod):
    """Adds a parameter after the others, an `Args` entry, and a statement at the end.

    It does not touch subclasses or callers: the parameter is optional, so those that
    do not know it, or pass keywords on, keep working.

    Attributes:
        parameter: The parameter as in a signature, with annotation and default.
        documentation: The text of its `Args` entry, with its line breaks.
        statement: The statement that uses it, put last in `__init__`. It may be left
            out, if another codemod makes a statement use it.
    """

    method: str = "__init__"
    parameter: str
    documentation: str
    statement: str | None = None

    @property
    def _parameter(self) -> cst.Param:
        signature = parsed(f"def f({self.parameter}): pass", cst.FunctionDef)
        return signature.params.params[0]

    def is_done(self, method: cst.FunctionDef) -> bool:
        name = self._parameter.name.value
        for parameter in method.params.params:
            if parameter.name.value == name:
                if not _is_same(parameter, self._parameter):
                    raise self.missing(f"no parameter {name} of another kind than ours")
                return True
        return False

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        first, *others = statements_of(method.body)
        if self.statement is not None:
            others.append(cst.parse_statement(self.statement))
        init = with_statements(method, [self._documented(first), *others])
        params = init.params.with_changes(params=self._parameters(init.params))
        return [init.with_changes(params=params)]

    def _parameters(self, parameters: cst.Parameters) -> list[cst.Param]:
        *others, last = parameters.params
        # A comma at the end stays at the end; ruff keeps one line for each then.
        end = last.comma
        separator = end if isinstance(end, cst.Comma) else cst.Comma()
        return [
            *others,
            last.with_changes(comma=separator),
            self._parameter.with_changes(
                comma=cst.Comma() if separator is end else end
            ),
        ]

    def _documented(self, first: Statement) -> Statement:
        documented = m.matches(first, DOCSTRING)
        strings = find_all(first, cst.SimpleString, m.SimpleString())
        if not documented or "Args:" not in strings[0].value:
            raise self.missing("a docstring with an Args section")
        name = self._parameter.name.value
        text = _with_entry(strings[0].value, name, self.documentation)
        return first.with_deep_changes(strings[0], value=text)


def _is_same(one: cst.Param, other: cst.Param) -> bool:
    signature = parsed("def f(): pass", cst.FunctionDef)
    plain = (
        each.with_changes(comma=cst.MaybeSentinel.DEFAULT) for each in (one, other)
    )
    made = (
        signature.with_deep_changes(signature.params, params=[each]) for each in plain
    )
    return same_code(*made)


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
