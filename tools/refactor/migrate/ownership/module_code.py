# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The code of a module: its classes and its constants."""

from __future__ import annotations

import ast
import functools
from collections import Counter
from dataclasses import dataclass, field

__all__ = ["FUNCTIONS", "Function", "ModuleCode", "code_of", "is_constant"]

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class ModuleCode:
    """The code of a module.

    Attributes:
        classes: Its classes by qualified name; a name may be defined twice.
        functions: The functions at its top.
        bound: How often each name is bound, anywhere in the module.
        assigned: The values assigned to names at the top of the module.
    """

    classes: dict[str, list[ast.ClassDef]] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    bound: Counter[str] = field(default_factory=Counter)
    assigned: dict[str, ast.expr] = field(default_factory=dict)

    def value(self, name: str) -> ast.expr | None:
        """Return the only value that a name at the top of the module ever has."""
        return self.assigned.get(name) if self.bound[name] == 1 else None


@functools.lru_cache(maxsize=1024)
def code_of(text: str) -> ModuleCode:
    """Read a module; there is nothing in it if it does not parse."""
    code = ModuleCode()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return code
    _find_classes(tree, "", code.classes)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            code.bound[node.id] += 1
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            code.bound[node.name] += 1
        elif isinstance(node, ast.alias):
            code.bound[node.asname or node.name.partition(".")[0]] += 1
    for statement in tree.body:
        if isinstance(statement, FUNCTIONS):
            code.functions[statement.name] = statement
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            (target,) = statement.targets
            if isinstance(target, ast.Name):
                code.assigned[target.id] = statement.value
    return code


def is_constant(value: ast.expr | None) -> bool:
    """Return whether an expression is a number or text, or a tuple of such."""
    if isinstance(value, ast.Tuple):
        return all(map(is_constant, value.elts))
    if isinstance(value, ast.UnaryOp):
        return is_constant(value.operand)
    return isinstance(value, ast.Constant)


def _find_classes(
    node: ast.AST, scope: str, found: dict[str, list[ast.ClassDef]]
) -> None:
    for child in ast.iter_child_nodes(node):
        name = scope
        if isinstance(child, (*FUNCTIONS, ast.ClassDef)):
            name = f"{scope}.{child.name}" if scope else child.name
        if isinstance(child, ast.ClassDef):
            found.setdefault(name, []).append(child)
        _find_classes(child, name, found)
