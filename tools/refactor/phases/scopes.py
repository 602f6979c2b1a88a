# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Searches a function's own code, without the functions defined in it."""

from __future__ import annotations

from typing import Generic

import libcst as cst

from ..nodes import Node

__all__ = ["INNER_SCOPES", "own_nodes"]

INNER_SCOPES = (cst.FunctionDef, cst.ClassDef, cst.Lambda)


def own_nodes(node: cst.CSTNode, *kinds: type[Node]) -> list[Node]:
    """Return the nodes of some kinds below a node, in order."""
    finder = _Finder(kinds)
    node.visit(finder)
    return finder.found


class _Finder(cst.CSTVisitor, Generic[Node]):
    def __init__(self, kinds: tuple[type[Node], ...]) -> None:
        super().__init__()
        self.found: list[Node] = []
        self._kinds = kinds

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, self._kinds):
            self.found.append(node)
        return not isinstance(node, INNER_SCOPES)

    def on_leave(self, original_node: cst.CSTNode) -> None:
        pass
