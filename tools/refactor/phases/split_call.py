# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Finds the call at which to split a method, and refuses impossible splits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Sequence

import libcst as cst
import libcst.matchers as m

from .refusal import Refused
from .scopes import own_nodes

__all__ = ["FoundCall", "check_call", "find_call"]

_CANNOT_CARRY: dict[type[cst.CSTNode], str] = {
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
    """A call of the function at which a method is split.

    Attributes:
        path: The nodes from the body of the method down to the call.
        others: Further calls.
        passed: Places that name the function without calling it.
    """

    path: Sequence[cst.CSTNode]
    others: Sequence[cst.CSTNode]
    passed: Sequence[cst.BaseExpression]

    @property
    def call(self) -> cst.Call | None:
        last = self.path[-1] if self.path else None
        return last if isinstance(last, cst.Call) else None


def find_call(method: cst.FunctionDef, function: cst.BaseExpression) -> FoundCall:
    """Find the calls of a function in a method, the first with the path to it."""
    named = _named(function)
    paths: list[Sequence[cst.CSTNode]] = []
    passed = []
    for *path, node in _paths(method.body):
        if isinstance(node, cst.BaseExpression) and m.matches(node, named):
            if isinstance(path[-1], cst.Call) and path[-1].func is node:
                paths.append(path)
            else:
                passed.append(node)
    first, *others = paths or [[]]
    return FoundCall(first, [path[-1] for path in others], passed)


def check_call(found: FoundCall, text: str) -> None:
    """Refuse a call at which a method cannot be split.

    Raises:
        Refused: If the call is in a block that cannot be split, or its result is used.
    """
    if found.others:
        raise Refused(f"more than one call of {text}")
    for node, child in zip(found.path, found.path[1:], strict=False):
        if type(node) in _CANNOT_CARRY:
            raise Refused(f"{text} is called in {_CANNOT_CARRY[type(node)]}")
        if isinstance(node, cst.For) and child is not node.iter:
            raise Refused(f"{text} is called in a for loop")
        # If the second context raises when a return leaves it, and the first
        # swallows that, the method continues. An ExitStack returns.
        several = isinstance(node, cst.With) and len(node.items) > 1
        if several and own_nodes(node, cst.Return):
            raise Refused("a return within a with of several contexts")
    if not isinstance(found.path[-2], (cst.Expr, cst.Return)):
        raise Refused(f"uses what {text}() returns")


def _paths(*path: cst.CSTNode) -> Iterator[Sequence[cst.CSTNode]]:
    """Yield the paths to a node and to all nodes below it."""
    yield path
    for child in path[-1].children:
        yield from _paths(*path, child)


def _named(function: cst.BaseExpression) -> m.Attribute | m.Call | m.Name:
    """Match what names the same callable, however formatted."""
    if isinstance(function, cst.Attribute):
        return m.Attribute(_named(function.value), m.Name(function.attr.value))
    if isinstance(function, cst.Call):
        # Arguments are those of `super(Class, self)`.
        args = [
            m.Arg(_named(one.value), keyword=None, star="") for one in function.args
        ]
        return m.Call(_named(function.func), args)
    names = [function.value] if isinstance(function, cst.Name) else []
    return m.Name(m.MatchIfTrue(lambda name: name in names))
