# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adds an import at its sorted place in the file's import block.

LibCST's own AddImportsVisitor puts new imports first in the block; upstream's linter
requires sorted imports.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from typing import Sequence

import libcst as cst
from libcst.helpers import get_full_name_for_node_or_raise

from .nodes import EMPTY_LINE, Statement, parsed
from .phases.columns import MAX_COLUMNS

__all__ = [
    "NeededImport",
    "after_imports",
    "with_import",
    "without_import",
]

_STDLIB = ""


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
    places = [
        (at, *imported)
        for at, statement in enumerate(body)
        if (imported := _imported(statement)) is not None
    ]
    for at, module, is_from in places:
        if is_from and module == needed.module:
            body[at] = _with_name(tree, body[at], needed)
            return tree.with_changes(body=body)
    new = cst.parse_statement(_in_columns(needed.module, [needed.name]))
    section = _section(needed.module)
    block = [place for place in places if _section(place[1]) == section]
    earlier = [
        at for at, module, is_from in block if not is_from or module < needed.module
    ]
    if earlier:
        body.insert(earlier[-1] + 1, new)
    elif block:
        # The empty line above a block of imports stays above it.
        at = block[0][0]
        first = body[at]
        body[at] = first.with_changes(leading_lines=[])
        body.insert(at, new.with_changes(leading_lines=first.leading_lines))
    else:
        at = _after_header(tree) if section == _STDLIB else after_imports(body)
        empty = [EMPTY_LINE] if at else []
        body.insert(at, new.with_changes(leading_lines=empty))
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
        line = parsed(_in_columns(_module(imported), left), cst.SimpleStatementLine)
        changed = statement.with_changes(body=line.body)
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


def _imported(statement: Statement) -> tuple[str, bool] | None:
    """Return the module that a line imports, and whether it imports from it."""
    imported = _from_import(statement)
    if imported is not None:
        return _module(imported), True
    if isinstance(statement, cst.SimpleStatementLine):
        first = statement.body[0]
        if isinstance(first, cst.Import):
            return first.names[0].evaluated_name, False
    return None


def _section(module: str) -> str:
    """Return what the imports of a block have in common."""
    package = module.partition(".")[0]
    is_stdlib = package in sys.stdlib_module_names and package != "__future__"
    return _STDLIB if is_stdlib else package


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


def _after_header(tree: cst.Module) -> int:
    """Return where the imports of the standard library begin."""
    future = [
        at + 1
        for at, statement in enumerate(tree.body)
        if _imported(statement) == ("__future__", True)
    ]
    return max(future, default=0 if tree.get_docstring() is None else 1)


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
    text = _in_columns(needed.module, sorted([*names, needed.name], key=_isort_key))
    return statement.with_changes(body=parsed(text, cst.SimpleStatementLine).body)


def _isort_key(name: str) -> tuple[int, str]:
    if name.isupper():
        return 0, name
    return (1 if name[0].isupper() else 2), name


def _in_columns(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= MAX_COLUMNS:
        return line
    lines = "".join(f"    {name},\n" for name in names)
    return f"from {module} import (\n{lines})"
