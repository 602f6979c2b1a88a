# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adds and removes imports; ruff sorts them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Sequence

import libcst as cst
from libcst.helpers import get_full_name_for_node_or_raise

from .nodes import EMPTY_LINE, Statement, parsed

__all__ = [
    "NeededImport",
    "after_imports",
    "with_import",
    "without_import",
]


@dataclass(frozen=True)
class NeededImport:
    """`from module import name`."""

    module: str
    name: str


def with_import(tree: cst.Module, needed: NeededImport) -> cst.Module:
    """Return the module with an import; unchanged if the import is there already.

    An import of the same name under an alias does not count: the code that needs the
    import uses the name itself. Imports inside functions or `if TYPE_CHECKING` are
    neither counted nor extended.
    """
    body = list(tree.body)
    for at, statement in enumerate(body):
        imported = _from_import(statement)
        if imported is not None and _module(imported) == needed.module:
            body[at] = _with_name(tree, statement, needed)
            return tree.with_changes(body=body)
    new = cst.parse_statement(f"from {needed.module} import {needed.name}")
    at = after_imports(body)
    if not at and tree.get_docstring() is not None:
        at, new = 1, new.with_changes(leading_lines=[EMPTY_LINE])
    body.insert(at, new)
    return tree.with_changes(body=body)


def without_import(tree: cst.Module, needless: str) -> cst.Module:
    """Return the module without the import of a name that nothing in it uses."""
    for at, statement in enumerate(tree.body):
        names = _names(tree, statement)
        if needless not in names:
            continue
        rest = tree.with_changes(body=[*tree.body[:at], *tree.body[at + 1 :]])
        if _uses(rest, needless):
            return tree
        imported = _from_import(statement)
        if imported is None or len(names) == 1:
            return rest
        left = [name for name in names if name != needless]
        changed = _importing(statement, _module(imported), left)
        return tree.with_changes(body=[*tree.body[:at], changed, *tree.body[at + 1 :]])
    return tree


def _uses(tree: cst.Module, name: str) -> bool:
    # Not LibCST's matchers, which take a second for a large module.
    try:
        nodes = ast.walk(ast.parse(tree.code))
    except SyntaxError:
        return True  # Nothing can be said of it. Whoever writes the module refuses it.
    return any(isinstance(one, ast.Name) and one.id == name for one in nodes)


def _names(tree: cst.Module, statement: Statement) -> list[str]:
    """Return the names that a line imports by themselves, without an alias."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return []
    imported = statement.body[0]
    if not isinstance(imported, (cst.Import, cst.ImportFrom)):
        return []
    if isinstance(imported.names, cst.ImportStar):
        return []
    return [tree.code_for_node(one.name) for one in imported.names]


def _module(imported: cst.ImportFrom) -> str:
    return get_full_name_for_node_or_raise(imported.module) if imported.module else ""


def _from_import(statement: cst.CSTNode) -> cst.ImportFrom | None:
    if isinstance(statement, cst.SimpleStatementLine):
        first = statement.body[0]
        if isinstance(first, cst.ImportFrom) and not first.relative:
            return first
    return None


def after_imports(body: Sequence[Statement]) -> int:
    """Return how many statements of a module there are up to its last import."""
    return max(
        (
            at + 1
            for at, statement in enumerate(body)
            if isinstance(statement, cst.SimpleStatementLine)
            and isinstance(statement.body[0], (cst.Import, cst.ImportFrom))
        ),
        default=0,
    )


def _with_name(
    tree: cst.Module, statement: Statement, needed: NeededImport
) -> Statement:
    imported = _from_import(statement)
    if imported is None or isinstance(imported.names, cst.ImportStar):
        return statement
    names = [
        tree.code_for_node(alias.with_changes(comma=cst.MaybeSentinel.DEFAULT))
        for alias in imported.names
    ]
    if needed.name in names:
        return statement
    return _importing(statement, needed.module, [*names, needed.name])


def _importing(statement: Statement, module: str, names: list[str]) -> Statement:
    text = f"from {module} import {', '.join(names)}"
    return statement.with_changes(body=parsed(text, cst.SimpleStatementLine).body)
