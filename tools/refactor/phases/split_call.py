# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Finds the call that a method is split at, and refuses it where it cannot be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Sequence

import libcst as cst

from .callables import same_callable
from .first_evaluated import is_evaluated_first

__all__ = ["FoundCall", "Refuse", "check_call", "find_call"]

Refuse = Callable[[str, cst.CSTNode], Exception]
"""Makes the exception that says what cannot be split."""

_CANNOT_CARRY = {
    cst.While: "a while loop",
    cst.Try: "a try statement",
    cst.TryStar: "a try statement",
    cst.Match: "a match statement",
    cst.FunctionDef: "a nested function",
    cst.Lambda: "a lambda",
    cst.ClassDef: "a nested class",
    cst.ListComp: "a comprehension",
    cst.SetComp: "a comprehension",
    cst.DictComp: "a comprehension",
    cst.GeneratorExp: "a generator expression",
}


@dataclass(frozen=True)
class FoundCall:
    """A call of the function that a method is split at.

    Attributes:
        path: The nodes from the body of the method down to the call.
        others: Further calls.
        passed: Where the function is named without being called.
    """

    path: Sequence[cst.CSTNode]
    others: Sequence[cst.Call]
    passed: Sequence[cst.BaseExpression]

    @property
    def call(self) -> cst.Call | None:
        return self.path[-1] if self.path else None


def find_call(method: cst.FunctionDef, function: cst.BaseExpression) -> FoundCall:
    """Find the calls of a function in a method, the first with the path to it."""
    finder = _Finder(function)
    method.body.visit(finder)
    first, *others = finder.paths or [[]]
    return FoundCall(first, [path[-1] for path in others], finder.passed)


def check_call(found: FoundCall, text: str, refuse: Refuse) -> None:
    """Refuse a call that a method cannot be split at.

    Args:
        found: The call.
        text: What is called.
        refuse: Makes the exception.
    """
    if found.others:
        raise refuse(f"more than one call of {text}", found.others[0])
    for node, child in zip(found.path, found.path[1:], strict=False):
        if type(node) in _CANNOT_CARRY:
            raise refuse(f"{text} is called in {_CANNOT_CARRY[type(node)]}", node)
        if isinstance(node, cst.For) and child is not node.iter:
            raise refuse(f"{text} is called in a for loop", node)
    statement = [
        node
        for node in found.path
        if isinstance(node, (cst.BaseSmallStatement, cst.BaseCompoundStatement))
    ][-1]
    if not is_evaluated_first(statement, found.call):
        raise refuse(
            f"{text} is called after other parts of the same statement were evaluated",
            found.call,
        )


class _Finder(cst.CSTVisitor):
    def __init__(self, function: cst.BaseExpression) -> None:
        super().__init__()
        self.paths: list[list[cst.CSTNode]] = []
        self.passed: list[cst.BaseExpression] = []
        self._function = function
        self._path: list[cst.CSTNode] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        self._path.append(node)
        if isinstance(node, cst.Call) and same_callable(node.func, self._function):
            self.paths.append([*self._path])
        elif isinstance(node, cst.BaseExpression) and same_callable(
            node, self._function
        ):
            above = self._path[-2]
            if not (isinstance(above, cst.Call) and above.func is node):
                self.passed.append(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self._path.pop()
        super().on_leave(original_node)
