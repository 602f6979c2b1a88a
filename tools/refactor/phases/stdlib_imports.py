# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adds imports of the standard library where a file's sorted imports want them."""

from __future__ import annotations

import sys

import libcst as cst

from ..imports import NeededImport, imported_module, with_import

__all__ = ["with_stdlib_import"]


def with_stdlib_import(tree: cst.Module, needed: NeededImport) -> cst.Module:
    """Return the module with an import, unchanged if it has it already.

    A module that is not imported from yet goes into the block of the standard library:
    after the `import` lines, in order with the other `from` lines. A file that has no
    such block gets one after its `from __future__` line.
    """
    places = [
        (at, *imported)
        for at, statement in enumerate(tree.body)
        if (imported := _imported(statement)) is not None
    ]
    if any(is_from and module == needed.module for _, module, is_from in places):
        return with_import(tree, needed)
    text = f"from {needed.module} import {needed.name}"
    statement = cst.parse_statement(text)
    block = [
        (at, module, is_from)
        for at, module, is_from in places
        if module.split(".")[0] in sys.stdlib_module_names and module != "__future__"
    ]
    body = list(tree.body)
    earlier = [
        at for at, module, is_from in block if not is_from or module < needed.module
    ]
    if earlier:
        body.insert(earlier[-1] + 1, statement)
    elif block:
        at = block[0][0]
        statement = statement.with_changes(leading_lines=body[at].leading_lines)
        body[at] = body[at].with_changes(leading_lines=[])
        body.insert(at, statement)
    else:
        future = [at for at, module, _ in places if module == "__future__"]
        after_docstring = 0 if tree.get_docstring() is None else 1
        at = future[-1] + 1 if future else after_docstring
        empty = [cst.EmptyLine(indent=False)] if at else []
        body.insert(at, statement.with_changes(leading_lines=empty))
    return tree.with_changes(body=body)


def _imported(statement: cst.CSTNode) -> tuple[str, bool] | None:
    """Return the module that a line imports, and whether it imports from it."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return None
    first = statement.body[0]
    if isinstance(first, cst.ImportFrom) and not first.relative:
        return imported_module(first), True
    if isinstance(first, cst.Import):
        return first.names[0].evaluated_name, False
    return None
