# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Replaces statements of a method by others."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from ..class_codemod import MethodCodemod
from ..nodes import (
    blocks_of,
    consecutive,
    has_statements,
    replaced,
    statements_of,
    with_comments_of,
)

__all__ = ["ReplaceStatements"]


@dataclass(frozen=True, kw_only=True)
class ReplaceStatements(MethodCodemod):
    """Replaces consecutive statements of one block, at any depth of a method.

    It does not look at what the statements assign: the rest of the method must find
    what it reads in the new ones. Comments stay where one statement replaces one.

    Attributes:
        first: How the first statement begins, as text: `for bird in flock`.
        last: How the last one begins, if it is not the first.
        by: The new statements.
    """

    first: str
    last: str | None = None
    by: str

    def is_done(self, method: cst.FunctionDef) -> bool:
        return has_statements(method, self.by)

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        for block in blocks_of(method):
            former = consecutive(statements_of(block), self.first, self.last)
            if former is not None:
                break
        else:
            raise self.missing(" to ".join(filter(None, [self.first, self.last])))
        statements = statements_of(block)
        new = list(cst.parse_module(self.by).body)
        if len(new) == len(former) == 1:
            new = [with_comments_of(statements[former.start], new[0])]
        else:
            # A comment belongs to what it stands above.
            lines = statements[former.start].leading_lines
            lines = [line for line in lines if line.comment is None]
            new[0] = new[0].with_changes(leading_lines=lines)
        statements[former.start : former.stop] = new
        return [replaced(method, block, block.with_changes(body=statements))]
