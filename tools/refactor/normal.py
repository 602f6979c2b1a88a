# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Code in a normal form, in which only what it does counts.

Comments, blank lines, quotes, parentheses and line breaks do not count, nor do the
white space of docstrings and the version of Python.
"""

from __future__ import annotations

import ast
import textwrap

import libcst as cst

__all__ = ["normal", "normal_text", "same_code", "statements_in"]

_DO_NOT_COUNT = {"ctx", "kind", "type_comment", "type_params"}


def normal(node: object) -> str:
    """Return the normal form of a syntax tree of `ast`, as text."""
    if isinstance(node, ast.AST):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                return f"Docstring({' '.join(text.split())!r})"
        fields = [
            f"{name}={normal(value)}"
            for name, value in ast.iter_fields(node)
            if name not in _DO_NOT_COUNT and value is not None and value != []
        ]
        return f"{type(node).__name__}({','.join(fields)})"
    if isinstance(node, list):
        return f"[{','.join(map(normal, node))}]"
    return repr(node)


def normal_text(code: str) -> str:
    """Return the normal form of statements that are given as text."""
    return normal(statements_in(code))


def statements_in(code: str) -> list[ast.stmt]:
    return ast.parse(textwrap.dedent(code)).body


def same_code(one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Return whether two expressions, or two statements, do the same."""
    return _normal_of(one) == _normal_of(other)


def _normal_of(node: cst.CSTNode) -> str:
    code = cst.Module([]).code_for_node(node)
    return normal_text(f"({code})" if isinstance(node, cst.BaseExpression) else code)
