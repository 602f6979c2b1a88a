# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Tells whether statements use nothing but attributes and locals of their own.

A reader sees that such statements do the same whenever other learning modules are
stepped. Everything else is refused, also what would turn out to be harmless.
"""

from __future__ import annotations

import ast
from typing import Collection, Sequence

from .attributes import (
    COMPUTING,
    Attributes,
    compares_identity,
    is_of_self,
    operands,
)
from .source import Source
from .steps import MONTYS_ATTRIBUTES, MONTYS_READERS

__all__ = ["NotOwn", "check_own"]


class NotOwn(Exception):
    """A statement does more."""


def check_own(
    statements: Sequence[ast.stmt],
    given: Collection[str],
    attributes: Attributes,
    source: Source,
) -> None:
    """Check statements of a method.

    Args:
        statements: The statements.
        given: The names of parameters that they may use.
        attributes: What is known of attributes.
        source: The module.

    Raises:
        NotOwn: If one of them does more.
    """
    _Checker(given, attributes, source).check(statements)


class _Checker:
    def __init__(
        self, given: Collection[str], attributes: Attributes, source: Source
    ) -> None:
        self._given = given
        self._attributes = attributes
        self._source = source
        self._plain: set[str] = set()
        self._locals: set[str] = set()

    def check(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if not self._is_own(statement):
                line = self._source.of(statement).split("\n", 1)[0]
                raise NotOwn(f"`{line}` is more than own attributes and locals")

    def _is_own(self, statement: ast.stmt) -> bool:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                return self._assigned(name, value)
            case ast.Assign(targets=[target], value=value):
                return self._is_own_attribute(target) and self._is_held(value)
            case ast.AugAssign(target=target, value=value):
                return self._is_plain(target) and self._is_plain(value)
            case ast.If(test=test, body=body, orelse=orelse):
                return self._is_plain(test) and all(map(self._is_own, [*body, *orelse]))
        return isinstance(statement, ast.Pass)

    def _assigned(self, name: str, value: ast.expr) -> bool:
        # A name that ever held something else is not plain.
        is_plain = self._is_plain(value) and name not in self._locals - self._plain
        (self._plain.add if is_plain else self._plain.discard)(name)
        self._locals.add(name)
        return name not in self._given and self._is_held(value)

    def _is_own_attribute(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Attribute):
            return False
        is_self = isinstance(node.value, ast.Name) and is_of_self(node)
        known = self._attributes.is_assigned(node.attr)
        return (
            is_self
            and (known or node.attr in MONTYS_ATTRIBUTES)
            and not self._attributes.is_seen(node.attr)
        )

    def _is_held(self, node: ast.expr) -> bool:
        """Return whether a value may be kept; what is in it is not looked at."""
        if isinstance(node, ast.Name):
            return node.id in self._locals or node.id in self._given
        return self._is_own_attribute(node) or self._is_plain(node)

    def _is_plain(self, node: ast.expr) -> bool:
        """Return whether a number, a text or None is made of such values."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                return name in self._plain
            case ast.Attribute(attr=name):
                return self._attributes.is_plain(name) and self._is_own_attribute(node)
            case ast.Call(func=ast.Name(id="len"), args=[value], keywords=[]):
                return self._is_counted(value)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return name in COMPUTING and all(map(self._is_plain, args))
        parts = operands(node)
        is_it = self._is_held if compares_identity(node) else self._is_plain
        return bool(parts) and all(map(is_it, parts))

    def _is_counted(self, node: ast.expr) -> bool:
        match node:
            case ast.Name(id=name):
                return name in self._given
            case ast.Attribute(attr=name):
                return name in MONTYS_ATTRIBUTES and self._is_own_attribute(node)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=[]
            ):
                # Not one of the project's own.
                return name in MONTYS_READERS and not node.keywords
        return False
