# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What the names in a module stand for: imports, classes and their bases."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Iterator

__all__ = ["ModuleNames", "bound_in", "dotted", "names_in"]


@dataclass
class ModuleNames:
    """The imports and classes of a module.

    Attributes:
        imports: By local name, the dotted name of what is imported. A relative import
            begins with one dot per level.
        stars: Modules from which `*` is imported.
        aliases: Names that another name was assigned to.
        instances: By dotted name, the classes that it is an instance of: those that it
            is annotated with, or whose call was assigned to it.
        bases: By qualified name of a class, its bases as written; None for one that
            is not a plain name.
        classes: By qualified name of a class, its definitions.
    """

    imports: dict[str, str] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    instances: dict[str, set[str]] = field(default_factory=dict)
    bases: dict[str, list[str | None]] = field(default_factory=dict)
    classes: dict[str, list[ast.ClassDef]] = field(default_factory=dict)

    def class_near(self, name: str, scope: str) -> str | None:
        """Find the class that a name refers to in a scope, the innermost first."""
        while True:
            qualified = f"{scope}.{name}" if scope else name
            if qualified in self.bases:
                return qualified
            if not scope:
                return None
            scope = scope.rpartition(".")[0]

    def imported(self, name: str) -> str:
        """Return what a dotted name stands for, with its imports resolved."""
        first, dot, rest = name.partition(".")
        return f"{self.imports[first]}{dot}{rest}" if first in self.imports else name

    @property
    def mentions_monty(self) -> bool:
        """Whether anything of tbp.monty is imported."""
        # `import tbp.monty.x` binds the name tbp.
        return any(
            one == "tbp" or f"{one}.".startswith("tbp.monty.")
            for one in [*self.imports.values(), *self.stars]
        )


def names_in(tree: ast.Module) -> ModuleNames:
    """Read a module."""
    reader = _Reader()
    reader.visit(tree)
    return reader.names


class _Reader(ast.NodeVisitor):
    def __init__(self) -> None:
        self.names = ModuleNames()
        self._scope: list[str] = []

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            local = alias.asname or alias.name.split(".")[0]
            self.names.imports[local] = alias.name if alias.asname else local

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                self.names.stars.append(module)
                continue
            dot = "" if module.endswith(".") else "."
            imported = f"{module}{dot}{alias.name}"
            self.names.imports[alias.asname or alias.name] = imported

    def visit_Assign(self, node: ast.Assign) -> None:
        (target, *others), value = node.targets, dotted(node.value)
        if isinstance(target, ast.Name) and not others and value is not None:
            self.names.aliases[target.id] = value
        if isinstance(node.value, ast.Call):
            self._instance(dotted(target), node.value.func)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._instance(dotted(node.target), node.annotation)
        self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> None:
        self._instance(node.arg, node.annotation)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._scope.append(node.name)
        name = ".".join(self._scope)
        bases = self.names.bases.setdefault(name, [])
        bases += [dotted(base) for base in node.bases]
        self.names.classes.setdefault(name, []).append(node)
        self.generic_visit(node)
        self._scope.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._scope.append(node.name)
        self.generic_visit(node)
        self._scope.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def _instance(self, name: str | None, of: ast.expr | None) -> None:
        class_name = of and dotted(of)
        if name and class_name:
            self.names.instances.setdefault(name, set()).add(class_name)


def bound_in(node: ast.AST) -> Iterator[str]:
    """Yield the names that a class body binds, also in its branches."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield child.name
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        elif isinstance(child, ast.alias):
            yield child.asname or child.name
        else:
            yield from bound_in(child)


def dotted(node: ast.expr) -> str | None:
    """Return the dotted name of an expression: `a.b`, and also `A` for `A[int]`."""
    if isinstance(node, ast.Subscript):
        return dotted(node.value)
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        value = dotted(node.value)
        return value and f"{value}.{node.attr}"
    return None
