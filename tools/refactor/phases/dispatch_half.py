# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Builds the half of a method that ends where its work is dispatched."""

from __future__ import annotations

from typing import Callable, Sequence, TypeGuard

import libcst as cst
import libcst.matchers as m

from ..nodes import Statement, find_all, parsed, statements_of, visited
from .blocks import at_start, with_comments
from .carried import Carried
from .columns import fitted_call, fitted_signature
from .cut import Cut, with_body
from .pending import Pending
from .scopes import INNER_SCOPES, own_nodes

__all__ = ["DispatchHalf", "called_in"]

_NONE = m.Name("None")
_IN_METHOD = 8
_STEP = 4


class DispatchHalf:
    """The first half: it returns the pending object, or says that there is no work."""

    def __init__(
        self, cut: Cut, carried: Carried, pending: Pending, may_be_none: bool
    ) -> None:
        """Set up the half.

        Args:
            cut: The method.
            carried: What the first half passes to the second.
            pending: The object that carries it.
            may_be_none: Whether the half may return None instead of such an object.
        """
        self._cut = cut
        self._carried = carried
        self._pending = pending
        returns = [
            found
            for statement in cut.first_half()
            for found in own_nodes(statement, cst.Return)
        ]
        self.finishes = bool(returns) or carried.falls_off
        """Whether the method may end before the call."""
        has_value = any(_has_value(one) for one in returns)
        self.finishes_with_record = has_value or (self.finishes and not may_be_none)
        """Whether the half then returns an object with the value, and not None."""

    def build(self, method: cst.FunctionDef, name: str) -> cst.FunctionDef:
        """Return the half of a method, without a docstring."""
        body = at_start(self._block(0, _IN_METHOD))
        if self._carried.falls_off:
            body.append(cst.SimpleStatementLine([self._finish(cst.Return())]))
        half = method.with_changes(
            name=cst.Name(name),
            body=cst.IndentedBlock(body),
            returns=cst.Annotation(cst.parse_expression(self.returned_type)),
            decorators=[],
            leading_lines=[],
            lines_after_decorators=[],
        )
        return fitted_signature(half)

    @property
    def returned_type(self) -> str:
        if self.finishes_with_record:
            return f"{self._pending.type_name} | {self._pending.finished_name}"
        if self.finishes:
            return f"{self._pending.type_name} | None"
        return self._pending.type_name

    def _block(self, at: int, indent: int) -> list[Statement]:
        level = self._cut.levels[at]
        finishing = _Finishing(self._finish)
        body = [visited(statement, finishing) for statement in level.before]
        if level.around is None:
            body[-1] = fitted_call(body[-1], called_in(body[-1]), indent)
        elif isinstance(level.around, cst.If):
            inner = at_start(self._block(at + 1, indent + _STEP))
            body += self._branch(at, level.around, inner)
        else:
            inner = self._block(at + 1, indent + _STEP)
            body.append(self._with(at, level.around, inner, indent))
        if at in self._carried.variables:
            body.append(self._hand_over(at, indent))
        return body

    def _hand_over(self, at: int, indent: int) -> Statement:
        arguments = ", ".join(self._pending.arguments(at))
        text = f"return {self._pending.type_name}({arguments})"
        statement = cst.parse_statement(text)
        return fitted_call(statement, called_in(statement), indent)

    def _finish(self, statement: cst.Return) -> cst.Return:
        value = statement.value or cst.Name("None")
        if self.finishes_with_record:
            if isinstance(value, cst.Tuple) and not value.lpar:
                value = value.with_changes(
                    lpar=[cst.LeftParen()], rpar=[cst.RightParen()]
                )
            finished = cst.Name(self._pending.finished_name)
            value = cst.Call(finished, [cst.Arg(value)])
        space = cst.SimpleWhitespace(" ")
        return statement.with_changes(value=value, whitespace_after_return=space)

    def _branch(
        self, at: int, original: cst.If, inner: Sequence[Statement]
    ) -> list[Statement]:
        block = self._cut.levels[at + 1].block
        finished = visited(original, _Finishing(self._finish, block))
        statement = with_body(finished, block, inner)
        is_first = original.body is block
        other = statement.orelse
        if not is_first or self._comes_to_end(at + 1) or not _is_plain(other):
            return [statement]
        # The branch returns, so the statements of the others can follow it.
        following = [other] if isinstance(other, cst.If) else statements_of(other.body)
        following = with_comments(other.leading_lines, at_start(following))
        return [statement.with_changes(orelse=None), *following]

    def _with(
        self, at: int, original: cst.With, inner: Sequence[Statement], indent: int
    ) -> cst.With:
        stack = self._pending.stacks[at]
        entering = [_entering(item, stack, indent + _STEP) for item in original.items]
        statement = parsed(f"with ExitStack() as {stack}:\n    pass", cst.With)
        return statement.with_changes(
            leading_lines=original.leading_lines,
            body=original.body.with_changes(body=[*entering, *inner], footer=[]),
        )

    def _comes_to_end(self, at: int) -> bool:
        """Return whether the half may reach the end of a block."""
        level = self._cut.levels[at]
        return level.around is not None and not level.after


def called_in(statement: Statement) -> cst.Call:
    """Return the call that a line assigns or returns."""
    line = cst.ensure_type(statement, cst.SimpleStatementLine).body[0]
    value = line.value if isinstance(line, (cst.Assign, cst.Return)) else None
    return cst.ensure_type(value, cst.Call)


def _has_value(statement: cst.Return) -> bool:
    return statement.value is not None and not m.matches(statement.value, _NONE)


def _is_plain(other: cst.If | cst.Else | None) -> TypeGuard[cst.If | cst.Else]:
    """Return whether an `if` has an `else` whose header can be dropped."""
    if isinstance(other, cst.Else):
        block = other.body
        return isinstance(block, cst.IndentedBlock) and not m.findall(
            block.with_changes(body=[]), m.Comment()
        )
    return other is not None


def _entering(item: cst.WithItem, stack: str, indent: int) -> Statement:
    call = cst.Call(
        cst.Attribute(cst.Name(stack), cst.Name("enter_context")), [cst.Arg(item.item)]
    )
    if item.asname is None:
        statement: cst.BaseSmallStatement = cst.Expr(call)
    else:
        statement = cst.Assign([cst.AssignTarget(item.asname.name)], call)
    comments = find_all(item.comma, cst.Comment, m.Comment())
    lines = [cst.EmptyLine(comment=comment) for comment in comments]
    line = cst.SimpleStatementLine([statement], leading_lines=lines)
    return fitted_call(line, call, indent)


class _Finishing(cst.CSTTransformer):
    """Makes each `return` say that the method has ended, except in a block."""

    def __init__(
        self,
        finish: Callable[[cst.Return], cst.Return],
        but_in: cst.IndentedBlock | None = None,
    ) -> None:
        super().__init__()
        self._finish = finish
        self._but_in = but_in

    def on_visit(self, node: cst.CSTNode) -> bool:
        return node is not self._but_in and not isinstance(node, INNER_SCOPES)

    def leave_Return(  # noqa: N802
        self,
        original_node: cst.Return,  # noqa: ARG002
        updated_node: cst.Return,
    ) -> cst.Return:
        return self._finish(updated_node)
