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

import libcst as cst

from ..nodes import Node

__all__ = ["INNER_SCOPES", "own_nodes"]

INNER_SCOPES = (cst.FunctionDef, cst.ClassDef, cst.Lambda)


def own_nodes(node: cst.CSTNode, *kinds: type[Node]) -> list[Node]:
    """Return the nodes of some kinds, a node or below it, in order."""
    found = [node] if isinstance(node, kinds) else []
    if not isinstance(node, INNER_SCOPES):
        for child in node.children:
            found += own_nodes(child, *kinds)
    return found
