# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Marks statements for rules that change nothing."""

# ruff: noqa: N802, ARG002 LibCST calls visitors by the names of nodes

from __future__ import annotations

from typing import Sequence

import libcst as cst

from .class_rewriter import ClassRewriter
from .kinds import Kind
from .marks import Marked

__all__ = ["StatementMarker"]


class StatementMarker(ClassRewriter):
    """Marks simple statements, and the headers of those with a block.

    A rule implements `reason`.
    """

    def reason(self, node: cst.CSTNode) -> str | None:
        """Return why a simple statement, or expressions in a header, are marked."""
        raise NotImplementedError

    def rewrite_class(
        self, original: cst.ClassDef, updated: cst.ClassDef, kind: Kind
    ) -> cst.ClassDef:
        decorators = [one.decorator for one in original.decorators]
        return self._marked(original, updated, decorators)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        decorators = [one.decorator for one in original_node.decorators]
        return self._marked(original_node, updated_node, decorators)

    def leave_SimpleStatementLine(
        self,
        original_node: cst.SimpleStatementLine,
        updated_node: cst.SimpleStatementLine,
    ) -> cst.BaseStatement:
        return self._marked(original_node, updated_node, [original_node])

    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> cst.With:
        items = [one.item for one in original_node.items]
        return self._marked(original_node, updated_node, items)

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.If:
        return self._marked(original_node, updated_node, [original_node.test])

    def leave_While(
        self, original_node: cst.While, updated_node: cst.While
    ) -> cst.While:
        return self._marked(original_node, updated_node, [original_node.test])

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:
        return self._marked(original_node, updated_node, [original_node.iter])

    def _marked(
        self, original: cst.CSTNode, updated: Marked, nodes: Sequence[cst.CSTNode]
    ) -> Marked:
        updated = self.unmark(updated)
        if self.is_covered(updated):
            return updated
        reasons = (self.reason(node) for node in nodes)
        what = next((one for one in reasons if one is not None), None)
        return updated if what is None else self.mark(original, updated, what)

    def is_covered(self, updated: Marked) -> bool:
        """Return whether the mark of another rule says it already."""
        return False
