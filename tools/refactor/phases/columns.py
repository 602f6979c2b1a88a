# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Keeps generated lines within upstream's line length."""

from __future__ import annotations

from typing import TypeVar

import libcst as cst
import libcst.matchers as m

from ..nodes import Statement, replaced

__all__ = ["MAX_COLUMNS", "fitted_call"]

MAX_COLUMNS = 88

_INDENT = cst.SimpleWhitespace("    ")
_NEXT_LINE = cst.ParenthesizedWhitespace(indent=True, last_line=_INDENT)
_LAST_LINE = cst.ParenthesizedWhitespace(indent=True)
_SPACE = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
_NEW_LINE = cst.Comma(whitespace_after=_NEXT_LINE)
_TRAILING = cst.Comma(whitespace_after=_LAST_LINE)
_IN_PARENTHESES = dict(
    lpar=[cst.LeftParen(whitespace_after=_NEXT_LINE)],
    rpar=[cst.RightParen(whitespace_before=_LAST_LINE)],
)
_NOTHING = cst.SimpleWhitespace("")
_code = cst.Module([]).code_for_node
_BROKEN = m.ParenthesizedWhitespace()

_Fitted = TypeVar("_Fitted", bound=Statement)


def fitted_call(statement: _Fitted, call: cst.Call, indent: int) -> _Fitted:
    """Break a call in a statement if the statement's first line is too long.

    Args:
        statement: The statement.
        call: The call in it. Arguments that have line breaks are left as they are.
        indent: The column that the statement begins at.

    Returns:
        The statement.
    """
    if _fits(statement, indent, 1) or not call.args or m.findall(call, _BROKEN):
        return statement
    args = [arg.with_changes(comma=_SPACE) for arg in call.args]
    args[-1] = args[-1].with_changes(
        comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=_LAST_LINE
    )
    broken = call.with_changes(whitespace_before_args=_NEXT_LINE, args=args)
    result = replaced(statement, call, broken)
    if not _fits(result, indent, 1):
        return replaced(statement, call, call.with_changes(**_IN_PARENTHESES))
    if _fits(result, indent, 2):
        return result
    args = [
        arg.with_changes(comma=_NEW_LINE, whitespace_after_arg=_NOTHING) for arg in args
    ]
    args[-1] = args[-1].with_changes(comma=_TRAILING)
    return replaced(statement, call, broken.with_changes(args=args))


def _fits(statement: Statement, indent: int, count: int) -> bool:
    bare = statement.with_changes(leading_lines=[])
    if isinstance(bare, cst.SimpleStatementLine):
        bare = bare.with_changes(trailing_whitespace=cst.TrailingWhitespace())
    lines = _code(bare).split("\n")[:count]
    return all(indent + len(line) <= MAX_COLUMNS for line in lines)
