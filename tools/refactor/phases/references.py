# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Finds where a method is passed on, looked up or overridden instead of called.

None of this is changed by a split, since the whole method stays; but who passes a
method on, or overrides it, may want to know its halves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Collection, Iterator

import libcst as cst
import libcst.matchers as m

from ..class_codemod import has_method
from .naming import halves_of

__all__ = ["Reference", "find_references", "unsplit_overrides"]

_GETATTR = m.Call(func=m.Name("getattr"), args=[m.Arg(), m.AtLeastN(n=1)])


@dataclass(frozen=True)
class Reference:
    """Something that refers to a split method, and says how."""

    node: cst.CSTNode
    what: str


def find_references(
    definition: cst.ClassDef, methods: Collection[str]
) -> list[Reference]:
    """Find where a class refers to methods without calling them.

    Args:
        definition: The class.
        methods: The names of the methods.

    Returns:
        The references: `self.m` and `m` that are not called, and each `getattr` by one
        of the names or by a name that is not known.
    """
    name = m.Name(m.MatchIfTrue(lambda value: value in methods))
    pattern = m.Call() | m.Attribute(attr=name) | m.Assign(value=name)
    nodes = m.findall(definition.body, pattern)
    called = [node.func for node in nodes if isinstance(node, cst.Call)]
    described = [
        (node, _description(node, methods))
        for node in nodes
        if isinstance(node, cst.Call) or node not in called
    ]
    return [Reference(node, what) for node, what in described if what is not None]


def _description(node: cst.CSTNode, methods: Collection[str]) -> str | None:
    if isinstance(node, cst.Attribute):
        return f"{node.attr.value} is passed and not called"
    if isinstance(node, cst.Assign):
        return f"another name for {node.value.value}"
    if not m.matches(node, _GETATTR):
        return None
    name = node.args[1].value
    if not isinstance(name, cst.SimpleString):
        return "getattr of a name that is not known"
    value = name.evaluated_value
    return f"getattr of {value}" if value in methods else None


def unsplit_overrides(
    tree: cst.Module, class_name: str, method: str
) -> Iterator[Reference]:
    """Find the subclasses in a module that override a method and not its halves."""
    halves = halves_of(method)
    subclass = m.ClassDef(
        bases=[m.ZeroOrMore(), m.Arg(m.Name(class_name)), m.ZeroOrMore()]
    )
    for statement in tree.body:
        if (
            m.matches(statement, subclass)
            and has_method(statement, method)
            and not has_method(statement, halves.dispatch)
        ):
            what = f"{statement.name.value} overrides {method} and not its halves"
            yield Reference(statement, what)
