# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Writes into arrays of hypotheses that were read: what is read is a copy."""

from __future__ import annotations

import ast
import re
from typing import Iterator

from ..rule import Left, PythonFile, Rule

__all__ = ["RULE"]

COLUMNS = ("evidence", "locations", "poses")
"""The arrays; `possible` can be written to."""
_NAME = re.compile(r"_?(\w+_)?(hypotheses|hypothesis|hyps?)(_\w+)?")
_IN_PLACE = {"fill", "itemset", "partition", "put", "resize", "setfield", "sort"}
_INTO_FIRST = {"at", "copyto", "fill_diagonal", "place", "put", "put_along_axis"}
_INTO_FIRST |= {"putmask", "shuffle"}
"""Functions of numpy that write into their first argument."""
_ADVICE = (
    "Compute a new array, and assign it: `hypotheses.{0} = ...` writes at once. For "
    "some rows: `{0} = hypotheses.{0}.copy()`, change that, and assign it."
)


def _look(file: PythonFile) -> None:
    if not file.names.mentions_monty:
        return
    for scope in _scopes(file.source.tree):
        for node, column in _Scope(scope).writes():
            what = f"it writes into {column} of hypotheses, which is a copy when read"
            file.leave(node, Left(what, _ADVICE.format(column)))


def _scopes(tree: ast.Module) -> Iterator[list[ast.AST]]:
    """Yield the nodes of the module and of each function, without those within."""
    todo: list[ast.AST] = [tree]
    for scope in todo:
        nodes: list[ast.AST] = [*ast.iter_child_nodes(scope)]
        for node in nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                todo.append(node)
            else:
                nodes += ast.iter_child_nodes(node)
        yield nodes


class _Scope:
    """A function, or the code outside of all of them."""

    def __init__(self, nodes: list[ast.AST]) -> None:
        self._nodes = nodes
        self._values: dict[str, list[ast.expr]] = {}
        """What is assigned to local names."""
        for node in nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._values.setdefault(name, []).append(value)
                case ast.For(target=target, iter=value):
                    for one in ast.walk(target):
                        if isinstance(one, ast.Name):
                            self._values.setdefault(one.id, []).append(value)

    def writes(self) -> Iterator[tuple[ast.AST, str]]:
        for node in self._nodes:
            for target in _written(node):
                column = self._column(target)
                if column is not None:
                    yield node, column

    def _column(self, node: ast.expr) -> str | None:
        """Return the column that an expression is, or a part of it."""
        match node:
            case ast.Subscript(value=value):
                return self._column(value)
            case ast.Name(id=name):
                values = self._values.pop(name, [])  # it may be assigned to itself
                columns = {self._column(one) for one in values}
                self._values[name] = values
                return columns.pop() if len(columns) == 1 else None
            case ast.Attribute(attr="T", value=value):
                return self._column(value)
            case ast.Attribute(attr=column, value=value) if column in COLUMNS:
                return column if self._is_of_hypotheses(value) else None
        return None

    def _is_of_hypotheses(self, node: ast.expr) -> bool:
        """Return whether an expression names hypotheses, of one graph or of all."""
        match node:
            case ast.Name(id=name) if name in self._values:
                values = self._values.pop(name)  # it may be assigned to itself
                found = all(map(self._is_of_hypotheses, values))
                self._values[name] = values
                return found
            case ast.Name(id=name) | ast.Attribute(attr=name) if _NAME.fullmatch(name):
                return True
            case ast.Attribute(attr="get" | "items" | "values", value=value):
                return self._is_of_hypotheses(value)
            case ast.Subscript(value=value) | ast.Call(func=value):
                return self._is_of_hypotheses(value)
        return False


def _written(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the arrays that a node writes into."""
    match node:
        case ast.AugAssign(target=target):
            yield target
        case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
            yield value
        case ast.Call(func=function, args=args, keywords=keywords):
            for keyword in keywords:
                if keyword.arg == "out":
                    yield keyword.value
            if isinstance(function, ast.Attribute):
                if function.attr in _IN_PLACE:
                    yield function.value
                if function.attr in _INTO_FIRST and args:
                    yield args[0]


RULE: Rule = Rule(
    id="written-hypotheses",
    summary=(
        "Writes into arrays of hypotheses that were read are listed: assign new arrays "
        "instead."
    ),
    words=rf"\.({'|'.join(COLUMNS)})\b",
    look=_look,
)
