# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Finds names that a file defines and nothing uses, by name only."""

from __future__ import annotations

import ast
import pydoc
import re
from dataclasses import dataclass, field
from typing import Iterator, Mapping

__all__ = ["unused_names"]

_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_BY_STRING = {"getattr", "hasattr", "setattr", "methodcaller", "attrgetter", "object"}
_PATH = re.compile(r"[\w.]+[.:](\w+)")


@dataclass(frozen=True)
class _Definition:
    name: str
    node: ast.AST
    in_class: str | None = None


@dataclass
class _Class:
    bases: set[str] = field(default_factory=set)
    methods: set[str] = field(default_factory=set)


def unused_names(
    new: Mapping[str, str], others: Mapping[str, str], upstream: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Find what new files define and nothing uses.

    Functions, classes and constants of a module count, and methods and properties. A
    definition does not use itself, and neither `__all__` nor an import uses a name.
    Methods with two underscores on both sides, and those that override a method of a
    class of upstream or of Python's library, are used by somebody else.

    Args:
        new: Texts of the files to look at, by path.
        others: Texts of other files that may use their names.
        upstream: Texts of the files whose classes they may extend.

    Returns:
        File and name, and for a method its class before the name.
    """
    trees = {file: ast.parse(text) for file, text in {**others, **new}.items()}
    uses = {file: list(_uses(tree)) for file, tree in trees.items()}
    classes = _classes(ast.parse(text) for text in upstream.values())
    for name, found in _classes(trees.values()).items():
        classes.setdefault(name, _Class()).bases |= found.bases
    return [
        (file, ".".join(filter(None, (definition.in_class, definition.name))))
        for file in new
        for definition in _definitions(trees[file])
        if not _is_dunder(definition.name)
        and not _overrides(definition, classes)
        and not any(
            name == definition.name
            and not (user == file and _contains(definition.node, line))
            for user, found in uses.items()
            for name, line in found
        )
    ]


def _definitions(tree: ast.Module) -> Iterator[_Definition]:
    for node in tree.body:
        if isinstance(node, (*_FUNCTION, ast.ClassDef)):
            yield _Definition(node.name, node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    yield _Definition(target.id, node)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, _FUNCTION):
                    yield _Definition(method.name, method, node.name)


def _uses(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield each name that is used, with the line."""
    renamed = {
        alias.asname: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield renamed.get(node.id, node.id), node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node.attr, node.lineno
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if path := _PATH.fullmatch(node.value):
                yield path[1], node.lineno
        elif isinstance(node, ast.Call) and _called(node) in _BY_STRING:
            for argument in node.args:
                if isinstance(argument, ast.Constant):
                    yield str(argument.value), node.lineno


def _called(call: ast.Call) -> str | None:
    return getattr(call.func, "id", None) or getattr(call.func, "attr", None)


def _classes(trees: Iterator[ast.Module]) -> dict[str, _Class]:
    found: dict[str, _Class] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                one = found.setdefault(node.name, _Class())
                one.bases |= {ast.unparse(base) for base in node.bases}
                one.methods |= {m.name for m in node.body if isinstance(m, _FUNCTION)}
    return found


def _overrides(definition: _Definition, classes: Mapping[str, _Class]) -> bool:
    """Return whether a base of upstream or of Python itself has the method."""
    if definition.in_class is None:
        return False
    to_see, seen = [*classes[definition.in_class].bases], set()
    while to_see:
        base = to_see.pop()
        if base in seen:
            continue
        seen.add(base)
        # New classes have only their bases here: their own methods need a user, too.
        known = classes.get(base.split(".")[-1], _Class())
        if definition.name in {*known.methods, *dir(pydoc.locate(base))}:
            return True
        to_see += known.bases
    return False


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _contains(node: ast.AST, line: int) -> bool:
    start = min(one.lineno for one in (node, *getattr(node, "decorator_list", ())))
    return start <= line <= node.end_lineno
