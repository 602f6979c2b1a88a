# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Moves an import from the top of a module into the functions that need it."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from ..codemod import Codemod, Read
from ..failures import MissingAnchor
from ..imports import NeededImport, after_imports, with_import
from ..nodes import (
    DOCSTRING,
    EMPTY_LINE,
    Statement,
    replaced,
    statements_of,
    with_statements,
)

__all__ = ["ImportWhereUsed"]

_IMPORT = m.SimpleStatementLine(body=[m.Import() | m.ImportFrom()])


@dataclass(frozen=True, kw_only=True)
class ImportWhereUsed(Codemod):
    """Imports a name in the functions and methods that use it, and there in a branch.

    Attributes:
        line: The import, of one name.
        annotates: Whether annotations name it, too: they find it for type checkers.
    """

    line: str
    annotates: bool = False

    def transform_module(self, tree: cst.Module, read: Read) -> cst.Module:  # noqa: ARG002
        body = list(tree.body)
        found = [at for at, one in enumerate(body) if self._is_line(tree, one)]
        if not found:
            if self.line in tree.code:
                return tree
            raise MissingAnchor(self.line)
        removed = body.pop(found[0])
        after = body[found[0]]
        # An empty line between blocks of imports stays.
        lines = [*removed.leading_lines, *after.leading_lines]
        body[found[0]] = after.with_changes(leading_lines=lines)
        adder = _Adder(tree, self.line)
        tree = tree.with_changes(body=[adder.added(one) for one in body])
        return self._with_type(tree) if self.annotates else tree

    def _is_line(self, tree: cst.Module, statement: Statement) -> bool:
        if not m.matches(statement, _IMPORT):
            return False
        bare = statement.with_changes(leading_lines=[])
        return tree.code_for_node(bare).strip() == self.line

    def _with_type(self, tree: cst.Module) -> cst.Module:
        tree = with_import(tree, NeededImport("typing", "TYPE_CHECKING"))
        body = list(tree.body)
        block = cst.parse_statement(f"\nif TYPE_CHECKING:\n    {self.line}\n")
        body.insert(after_imports(body), block)
        return tree.with_changes(body=body)


class _Adder:
    """Adds an import to functions and methods, not to functions inside of them."""

    def __init__(self, tree: cst.Module, line: str) -> None:
        self._tree = tree
        self._name = line.rsplit(maxsplit=1)[-1]
        self._line = cst.parse_statement(f"{line}  # noqa: PLC0415\n")

    def added(self, statement: Statement) -> Statement:
        """Return a definition whose functions import what they use."""
        if isinstance(statement, cst.ClassDef):
            members = statements_of(statement.body)
            return with_statements(statement, [self.added(one) for one in members])
        if not isinstance(statement, cst.FunctionDef):
            return statement
        if not self._is_used(statement.body):
            return statement
        block = self._innermost(statement.body)
        return replaced(statement, block, self._with_import(block))

    def _innermost(self, block: cst.BaseSuite) -> cst.BaseSuite:
        """Return the smallest block with all uses, so that others need no import."""
        using = [one for one in statements_of(block) if self._is_used(one)]
        if len(using) == 1 and m.matches(using[0], m.If(orelse=None)):
            branch = cst.ensure_type(using[0], cst.If)
            if not self._is_used(branch.test):
                return self._innermost(branch.body)
        return block

    def _with_import(self, block: cst.BaseSuite) -> cst.IndentedBlock:
        body = statements_of(block)
        at = 1 if m.matches(body[0], DOCSTRING) else 0
        lines = body[at].leading_lines
        if not lines and not m.matches(body[at], _IMPORT):
            body[at] = body[at].with_changes(leading_lines=[EMPTY_LINE])
        return cst.IndentedBlock([*body[:at], self._line, *body[at:]])

    def _is_used(self, node: cst.CSTNode) -> bool:
        # The text first, because matchers take seconds for all functions of a module.
        if self._name not in self._tree.code_for_node(node):
            return False
        name = m.Name(self._name)
        # Neither attributes of this name nor other imports use it.
        others = m.findall(node, m.Attribute(attr=name) | m.Import() | m.ImportFrom())
        not_uses = sum(len(m.findall(one, name)) for one in others)
        return len(m.findall(node, name)) > not_uses
