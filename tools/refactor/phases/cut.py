# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Cuts a method at a call into statements before, around and after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Sequence

import libcst as cst

from ..nodes import Node, Statement, replaced, statements_of
from .split_call import FoundCall, find_call

__all__ = ["Cut", "Level", "cut_at", "with_body"]


@dataclass(frozen=True)
class Level:
    """A block that contains the call.

    Attributes:
        before: The statements before the one that holds the call; on the innermost
            level, the last one dispatches the work.
        around: The `if` or `with` that holds the next level; None on the innermost
            level.
        after: The statements after it; on the innermost level, the first one processes
            the result.
        block: The block itself.
    """

    before: Sequence[Statement]
    around: cst.If | cst.With | None
    after: Sequence[Statement]
    block: cst.IndentedBlock

    @property
    def footer(self) -> Sequence[cst.EmptyLine]:
        """Comments at the end of the block."""
        return self.block.footer


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
        block = self.levels[at + 1].block
        around = with_body(level.around, block, self._joined(at + 1, after))
        return [*level.before, around, *after(level)]


def with_body(
    around: Node, block: cst.IndentedBlock, body: Sequence[Statement]
) -> Node:
    """Return an `if` or `with` with other statements in one of its blocks."""
    return replaced(around, block, block.with_changes(body=body, footer=[]))


def cut_at(
    method: cst.FunctionDef,
    found: FoundCall,
    dispatching: cst.Assign,
    processing: cst.BaseExpression,
) -> Cut:
    """Return a method, cut at a call that is found in it.

    The statement with the call becomes two: `dispatching`, and itself with
    `processing`, the expression for the result, in place of the call.
    """
    method = _on_own_lines(method, found.path)
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
        if not isinstance(holding, (cst.If, cst.With)):
            break
        levels.append(Level(before, holding, after, block))
        # An `elif` or `else` may come before the next block.
        while not isinstance(path[0], cst.IndentedBlock):
            path.pop(0)
        block = cst.ensure_type(path.pop(0), cst.IndentedBlock)
    line = cst.ensure_type(holding, cst.SimpleStatementLine)
    first = line.with_changes(body=[dispatching])
    second = cst.SimpleStatementLine(replaced(line, call, processing).body)
    levels.append(Level([*before, first], None, [second, *after], block))
    return Cut(levels)


def _on_own_lines(
    method: cst.FunctionDef, path: Sequence[cst.CSTNode]
) -> cst.FunctionDef:
    """Give the statement that holds the call, at the end of a path, its own line."""
    *_, above, line, _, _ = (method, *path)
    if not isinstance(line, cst.SimpleStatementLine):
        suite = cst.ensure_type(line, cst.SimpleStatementSuite)
        return replaced(method, suite, cst.IndentedBlock(_lines(suite)))
    if len(line.body) == 1:
        return method
    first, *others = _lines(line)
    first = first.with_changes(leading_lines=line.leading_lines)
    block = cst.ensure_type(above, cst.IndentedBlock)
    at = block.body.index(line)
    body = [*block.body[:at], first, *others, *block.body[at + 1 :]]
    return replaced(method, block, block.with_changes(body=body))


def _lines(
    line: cst.SimpleStatementLine | cst.SimpleStatementSuite,
) -> list[cst.SimpleStatementLine]:
    lines = [
        cst.SimpleStatementLine([one.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])
        for one in line.body
    ]
    lines[-1] = lines[-1].with_changes(trailing_whitespace=line.trailing_whitespace)
    return lines
