# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The names that a piece of a function uses and binds."""

from __future__ import annotations

import symtable
import textwrap
from dataclasses import dataclass
from typing import Iterator

import libcst as cst

__all__ = ["Names", "names_of", "names_of_code"]

_FUNCTION = "def f():\n"


@dataclass(frozen=True)
class Names:
    """The names of a piece of code, as seen from the function it stands in.

    Attributes:
        used: Names that are read, also from within functions defined in the piece.
        made_local: Names that it binds, deletes or declares.
    """

    used: set[str]
    made_local: set[str]


def names_of(*nodes: cst.CSTNode) -> Names:
    """Return the names of statements, or of a block, taken together."""
    return names_of_code("".join(map(cst.Module([]).code_for_node, nodes)))


def names_of_code(code: str) -> Names:
    """Return the names of statements, given as text."""
    body = textwrap.indent(textwrap.dedent(code.lstrip("\n")), "    ") + "\n    pass\n"
    (function,) = symtable.symtable(_FUNCTION + body, "", "exec").get_children()
    made = {one.get_name() for one in function.get_symbols() if one.is_local()}
    return Names({*_used(function)}, made)


def _used(table: symtable.SymbolTable) -> Iterator[str]:
    """Yield the names that a scope reads, and those that scopes in it do not bind."""
    for symbol in table.get_symbols():
        if symbol.is_referenced():
            yield symbol.get_name()
    for child in table.get_children():
        bound = {one.get_name() for one in child.get_symbols() if one.is_local()}
        yield from {*_used(child)} - bound
