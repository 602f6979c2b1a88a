# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Finds out whether a call is the first thing that a statement evaluates.

Only then can the rest of the statement wait for the call's result: what is evaluated
before a call, the `f` and `g()` of `f(g(), self.work())` say, must not see what the
call changes.
"""

from __future__ import annotations

import libcst as cst

__all__ = ["is_evaluated_first"]

_FIRST_CHILD = {
    cst.Attribute: "value",
    cst.BinaryOperation: "left",
    cst.BooleanOperation: "left",
    cst.Call: "func",
    cst.Comparison: "left",
    cst.IfExp: "test",
    cst.NamedExpr: "value",
    cst.Subscript: "value",
    cst.UnaryOperation: "expression",
    # Statements. The value of an assignment is evaluated before its targets are.
    cst.AnnAssign: "value",
    cst.Assign: "value",
    cst.Expr: "value",
    cst.For: "iter",
    cst.If: "test",
    cst.Return: "value",
}
_IN_ORDER = (cst.Tuple, cst.List, cst.Set)
_CONSTANTS = (cst.Integer, cst.Float, cst.Imaginary, cst.SimpleString)


def is_evaluated_first(statement: cst.CSTNode, call: cst.Call) -> bool:
    """Return whether a statement evaluates nothing before it evaluates a call in it.

    A local variable that the statement adds to, as in `x += self.work()`, is read
    before the call; that makes no difference, since the call cannot rebind it.
    """
    node = statement
    while node is not call:
        if isinstance(node, cst.With):
            node = node.items[0].item
        elif isinstance(node, cst.AugAssign):
            if not isinstance(node.target, cst.Name):
                return False
            node = node.value
        elif isinstance(node, cst.BinaryOperation) and isinstance(
            node.left, _CONSTANTS
        ):
            node = node.right
        elif isinstance(node, _IN_ORDER) and node.elements:
            node = node.elements[0].value
        elif type(node) in _FIRST_CHILD:
            node = getattr(node, _FIRST_CHILD[type(node)])
        else:
            return False
    return True
