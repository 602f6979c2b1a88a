# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adds an import where the file's sorted import block wants it.

LibCST's own AddImportsVisitor puts new imports first in the block; upstream's linter
asks for them in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import libcst as cst
import libcst.matchers as m
from libcst.helpers import get_full_name_for_node_or_raise

from .nodes import Statement, parsed

__all__ = ["NeededImport", "imported_module", "with_import", "without_import"]

_MAX_COLUMNS = 88


@dataclass(frozen=True)
class NeededImport:
    """`from module import name`."""

    module: str
    name: str


def with_import(tree: cst.Module, needed: NeededImport) -> cst.Module:
    """Return the module with an import, unchanged if it has it already.

    An import of the same name under an alias does not count: the code that needs the
    import uses the name itself. Imports inside functions or `if TYPE_CHECKING` are
    neither counted nor extended.
    """
    body = list(tree.body)
    siblings = []
    for at, one in enumerate(body):
        imported = _from_import(one)
        if imported is None:
            continue
        module = imported_module(imported)
        if module == needed.module:
            body[at] = _with_name(tree, one, imported, needed.name)
            return tree.with_changes(body=body)
        if module.split(".")[0] == needed.module.split(".")[0]:
            siblings.append((module, at))

    statement = cst.parse_statement(_in_columns(needed.module, [needed.name]))
    later = [at for module, at in siblings if module > needed.module]
    if later:
        # The empty line above a block of imports stays above it.
        displaced = body[later[0]]
        statement = statement.with_changes(leading_lines=displaced.leading_lines)
        body[later[0]] = displaced.with_changes(leading_lines=[])
        body.insert(later[0], statement)
    elif siblings:
        body.insert(siblings[-1][1] + 1, statement)
    else:
        statement = statement.with_changes(leading_lines=[cst.EmptyLine(indent=False)])
        body.insert(_after_imports(body), statement)
    return tree.with_changes(body=body)


def without_import(tree: cst.Module, needless: NeededImport) -> cst.Module:
    """Return the module without an import, if nothing in it uses the name."""
    for at, statement in enumerate(tree.body):
        imported = _from_import(statement)
        if imported is None or isinstance(imported.names, cst.ImportStar):
            continue
        if imported_module(imported) != needless.module:
            continue
        rest = tree.with_changes(body=[*tree.body[:at], *tree.body[at + 1 :]])
        names = [tree.code_for_node(one.name) for one in imported.names]
        if needless.name not in names or m.findall(rest, m.Name(needless.name)):
            return tree
        for name in names:
            if name != needless.name:
                rest = with_import(rest, NeededImport(needless.module, name))
        return rest
    return tree


def imported_module(statement: cst.ImportFrom) -> str:
    """Return the module of an import that is not relative."""
    if statement.module is None:
        raise ValueError("a relative import")
    return get_full_name_for_node_or_raise(statement.module)


def _from_import(statement: cst.CSTNode) -> cst.ImportFrom | None:
    if isinstance(statement, cst.SimpleStatementLine):
        first = statement.body[0]
        if isinstance(first, cst.ImportFrom) and not first.relative:
            return first
    return None


def _after_imports(body: Sequence[Statement]) -> int:
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
    tree: cst.Module, statement: Statement, imported: cst.ImportFrom, name: str
) -> Statement:
    if isinstance(imported.names, cst.ImportStar):
        return statement
    names = [
        tree.code_for_node(alias.with_changes(comma=cst.MaybeSentinel.DEFAULT))
        for alias in imported.names
    ]
    if name in names:
        return statement
    names = sorted([*names, name], key=_isort_key)
    text = _in_columns(imported_module(imported), names)
    fresh = parsed(text, cst.SimpleStatementLine)
    return statement.with_changes(body=fresh.body)


def _isort_key(name: str) -> tuple[int, str]:
    if name.isupper():
        return 0, name
    return (1 if name[0].isupper() else 2), name


def _in_columns(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= _MAX_COLUMNS:
        return line
    lines = "".join(f"    {name},\n" for name in names)
    return f"from {module} import (\n{lines})"
