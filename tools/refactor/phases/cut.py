# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Cuts a method at a call into statements before, around and after it."""

# ruff: noqa: N802 LibCST calls visitors by the names of nodes

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Sequence

import libcst as cst

from ..nodes import Statement, replaced, statements_of, visited
from .split_call import FoundCall, find_call

__all__ = ["Branch", "Cut", "Level", "cut_at"]


@dataclass(frozen=True)
class Branch:
    """The branch of an `if` that holds the call."""

    statement: cst.If
    elifs: int
    """How many `elif` come before it."""
    is_else: bool

    def with_body(self, body: Sequence[Statement]) -> cst.If:
        """Return the statement with another body for this branch."""
        return self._with_body(self.statement, self.elifs, body)

    def _with_body(
        self, statement: cst.If, elifs: int, body: Sequence[Statement]
    ) -> cst.If:
        other = statement.orelse
        if elifs and isinstance(other, cst.If):
            inner = self._with_body(other, elifs - 1, body)
            return statement.with_changes(orelse=inner)
        if self.is_else and other is not None:
            otherwise = other.with_changes(body=_block(other.body, body))
            return statement.with_changes(orelse=otherwise)
        return statement.with_changes(body=_block(statement.body, body))


@dataclass(frozen=True)
class Level:
    """A block that contains the call.

    Attributes:
        before: The statements before the one that holds the call; on the innermost
            level, the last one dispatches the work.
        around: The branch or `with` that holds the next level; None on the innermost
            level.
        after: The statements after it; on the innermost level, the first one processes
            the result.
        footer: Comments at the end of the block.
    """

    before: Sequence[Statement]
    around: Branch | cst.With | None
    after: Sequence[Statement]
    footer: Sequence[cst.EmptyLine] = ()


@dataclass(frozen=True)
class Cut:
    """A method, cut at a call. Level 0 is the body of the method."""

    levels: Sequence[Level]

    def whole(self) -> list[Statement]:
        """Return the statements of both halves, one after the other."""
        return self._joined(0, lambda level: level.after)

    def first_half(self) -> list[Statement]:
        """Return the statements that run before the result is available."""
        return self._joined(0, lambda _: [])

    def second_half(self) -> list[Statement]:
        return [statement for level in self.levels for statement in level.after]

    def _joined(
        self, at: int, after: Callable[[Level], Sequence[Statement]]
    ) -> list[Statement]:
        level = self.levels[at]
        if level.around is None:
            return [*level.before, *after(level)]
        inner = self._joined(at + 1, after)
        if isinstance(level.around, Branch):
            around: Statement = level.around.with_body(inner)
        else:
            around = level.around.with_changes(body=cst.IndentedBlock(inner))
        return [*level.before, around, *after(level)]


def cut_at(
    method: cst.FunctionDef,
    found: FoundCall,
    dispatching: Callable[[cst.Call], cst.SimpleStatementLine],
    processing: cst.BaseExpression,
) -> Cut:
    """Cut a method at a call.

    Args:
        method: The method.
        found: The call.
        dispatching: Makes the statement that dispatches the work from the call.
        processing: The expression for its result.

    Returns:
        The two halves.
    """
    method = visited(method, _OnItsOwnLine([method, *found.path]))
    path = [*find_call(method, cst.ensure_type(found.call, cst.Call).func).path]
    call = cst.ensure_type(path.pop(), cst.Call)
    block = cst.ensure_type(path.pop(0), cst.IndentedBlock)
    skipped = 1 if method.get_docstring() is not None else 0
    levels = []
    while True:
        statements = statements_of(block)
        at = next(at for at, one in enumerate(statements) if one is path[0])
        before, (holding, *after) = statements[skipped:at], statements[at:]
        skipped = 0
        inner = _inner_block(path)
        if inner is None:
            break
        levels.append(Level(before, inner[0], after, block.footer))
        block = inner[1]
    first = dispatching(call).with_changes(leading_lines=holding.leading_lines)
    second = replaced(holding, call, processing).with_changes(leading_lines=[])
    if isinstance(second, cst.SimpleStatementLine):
        first = first.with_changes(trailing_whitespace=second.trailing_whitespace)
        second = second.with_changes(trailing_whitespace=cst.TrailingWhitespace())
    levels.append(Level([*before, first], None, [second, *after], block.footer))
    return Cut(levels)


def _inner_block(
    path: list[cst.CSTNode],
) -> tuple[Branch | cst.With, cst.IndentedBlock] | None:
    """Descend to the block that holds the call, if the first statement has one.

    Args:
        path: The nodes from the statement to the call. Those down to the block are
            removed from it.

    Returns:
        The branch or `with` around the block, and the block; None if there is none.
    """
    statement = path[0]
    blocks = [one for one in path if isinstance(one, cst.IndentedBlock)]
    if not blocks:
        return None
    block = blocks[0]
    inner = path.index(block)
    between = path[1:inner]
    del path[: inner + 1]
    if isinstance(statement, cst.With):
        return statement, block
    elifs = sum(isinstance(one, cst.If) for one in between)
    branch = cst.ensure_type(statement, cst.If)
    return Branch(branch, elifs, len(between) > elifs), block


class _OnItsOwnLine(cst.CSTTransformer):
    """Gives the statement that holds the call its own line in a block."""

    def __init__(self, path: Sequence[cst.CSTNode]) -> None:
        super().__init__()
        self._path = path

    def on_visit(self, node: cst.CSTNode) -> bool:
        # Nodes that are not visited stay the same, and their lines are known.
        return node in self._path

    def leave_SimpleStatementLine(
        self,
        original_node: cst.SimpleStatementLine,
        updated_node: cst.SimpleStatementLine,
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        if original_node not in self._path or len(original_node.body) == 1:
            return updated_node
        return cst.FlattenSentinel(self._lines(original_node, updated_node))

    def leave_SimpleStatementSuite(
        self,
        original_node: cst.SimpleStatementSuite,
        updated_node: cst.SimpleStatementSuite,
    ) -> cst.BaseSuite:
        if original_node not in self._path:
            return updated_node
        return cst.IndentedBlock(self._lines(original_node, updated_node))

    def _lines(
        self,
        original: cst.SimpleStatementLine | cst.SimpleStatementSuite,
        updated: cst.SimpleStatementLine | cst.SimpleStatementSuite,
    ) -> list[cst.SimpleStatementLine]:
        lines = [
            cst.SimpleStatementLine(
                [statement.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]
            )
            for statement in updated.body
        ]
        lines[0] = lines[0].with_changes(
            leading_lines=getattr(original, "leading_lines", [])
        )
        lines[-1] = lines[-1].with_changes(
            trailing_whitespace=original.trailing_whitespace
        )
        return lines


def _block(original: cst.BaseSuite, body: Sequence[Statement]) -> cst.IndentedBlock:
    if isinstance(original, cst.IndentedBlock):
        return original.with_changes(body=body, footer=[])
    return cst.IndentedBlock(body)
