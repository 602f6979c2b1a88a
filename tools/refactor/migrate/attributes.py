# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What the code of a project does with attributes, told from their names alone.

Two attributes of the same name count as one, so what is said here holds for each.
"""

from __future__ import annotations

import ast
import functools
import re
from collections import defaultdict
from functools import cached_property
from pathlib import Path
from typing import Collection, Iterable, Iterator

from .classes import Classes
from .kinds import Kind
from .names import bound_in
from .source import Function, Source
from .steps import TWO_PHASE_METHODS

__all__ = [
    "COMPUTING",
    "Attributes",
    "compares_identity",
    "is_of_self",
    "is_super",
    "operands",
]

COMPUTING = {"abs", "bool", "float", "int", "max", "min", "round"}
"""Functions that make plain values of plain values."""
_MOST_FUNCTIONS = 1000
"""If steps may call more, they may use any attribute."""
_PLAIN_CALLS = {"bool", "float", "int", "len", "str"}
_BY_NAME = {"attrgetter", "delattr", "getattr", "hasattr", "methodcaller", "setattr"}
_DEFINITION = re.compile(r"\bdef\s+(\w+)")
_STEPPED = {Kind.EVIDENCE_LM, Kind.LM, Kind.UPDATER, Kind.DISPLACER, Kind.UNKNOWN}


class Attributes:
    """The attributes of a project."""

    def __init__(self, classes: Classes) -> None:
        self._classes = classes
        self._values = functools.cache(self._values_of)
        self._plain: dict[str, bool] = {}

    def is_plain(self, name: str) -> bool:
        """Return whether an attribute always is a number, a text, or None."""
        if name not in self._plain:
            self._plain[name] = not self._any_is_assigned and self._holds_plain(name)
        return self._plain[name]

    def is_assigned(self, name: str) -> bool:
        """Return whether objects have an attribute because it was assigned."""
        values = self._values(name)
        return bool(values) and None not in values

    def is_bypassed(self, method: str) -> bool:
        """Return whether code calls a method of a base that a class overrides.

        If the class has halves, the whole method of its base calls these.
        """
        return any(
            _bypasses(node, method, source)
            for source in self._classes.sources_with(method)
            for node in ast.walk(source.tree)
        )

    def is_seen(self, name: str) -> bool:
        """Return whether code in a step may use an attribute of another object."""
        return self._any_is_seen or name in self._seen

    def _holds_plain(self, name: str, *computed_from_it: str) -> bool:
        return name in computed_from_it or all(
            one is not None and self._computes_plain(one, name, *computed_from_it)
            for one in self._values(name)
        )

    def _computes_plain(self, node: ast.expr, *attributes: str) -> bool:
        """Return whether a value is plain, if the attributes are."""
        match node:
            case ast.Constant() | ast.JoinedStr():
                return True
            case ast.Attribute(attr=name):
                return is_of_self(node) and self._holds_plain(name, *attributes)
            case ast.Call(func=ast.Name(id=name), args=args) if name in COMPUTING:
                return all(self._computes_plain(one, *attributes) for one in args)
            case ast.Call(func=ast.Name(id=name)):
                return name in _PLAIN_CALLS
        parts = operands(node)
        return compares_identity(node) or (
            bool(parts) and all(self._computes_plain(one, *attributes) for one in parts)
        )

    def _values_of(self, attribute: str) -> list[ast.expr | None]:
        """Return the values that are assigned to an attribute; None for others."""
        return [
            value
            for source in self._classes.sources_with(attribute)
            for node in ast.walk(source.tree)
            for name, value in _assigned_by(node, source)
            if name == attribute
        ]

    @cached_property
    def _any_is_assigned(self) -> bool:
        builds_on_monty = self._classes.sources_with("tbp")
        code = [*self._in_step, *(source.tree for source in builds_on_monty)]
        return any(_assigns_any(node) for one in code for node in ast.walk(one))

    @cached_property
    def _defining(self) -> dict[str, list[Path]]:
        """The files in which functions are defined, by their names."""
        found: dict[str, list[Path]] = defaultdict(list)
        for file, text in self._classes.texts.items():
            for name in {*_DEFINITION.findall(text)}:
                found[name].append(file)
        return found

    def _functions(self, name: str) -> list[Function]:
        sources = map(self._classes.source, self._defining.get(name, ()))
        return [
            node
            for source in sources
            for node in ast.walk(source.tree if source else ast.Module([], []))
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and node.name == name
        ]

    @cached_property
    def _in_step(self) -> list[ast.AST]:
        """The classes that take part in steps, and all functions they may call."""
        found: list[ast.AST] = [*self._classes.definitions(_STEPPED)]
        names: set[str] = set()
        for code in found:
            for node in ast.walk(code):
                name = _name_of(node)
                if name is not None and name not in names:
                    names.add(name)
                    found += self._functions(name)
            if len(found) > _MOST_FUNCTIONS:
                break
        return found

    @cached_property
    def _any_is_seen(self) -> bool:
        nodes = (node for code in self._in_step for node in ast.walk(code))
        return len(self._in_step) > _MOST_FUNCTIONS or any(map(_uses_any, nodes))

    @cached_property
    def _seen(self) -> Collection[str]:
        nodes = [node for code in self._in_step for node in ast.walk(code)]
        seen: set[str] = set()
        for node in nodes:
            if isinstance(node, ast.Attribute) and not is_of_self(node):
                seen.add(node.attr)
            elif isinstance(node, ast.Call) and _name_of(node.func) in _BY_NAME:
                seen |= {
                    one.value
                    for one in node.args
                    if isinstance(one, ast.Constant) and isinstance(one.value, str)
                }
        # Also what methods use that are called on other objects, or by Python.
        names = [*seen, *_dunder_methods(nodes)]
        for name in names:
            if name in TWO_PHASE_METHODS:
                continue
            for function in self._functions(name):
                for node in ast.walk(function):
                    if isinstance(node, ast.Attribute) and node.attr not in seen:
                        seen.add(node.attr)
                        names.append(node.attr)
        return seen


def _dunder_methods(nodes: Iterable[ast.AST]) -> set[str]:
    return {
        node.name
        for node in nodes
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith("__")
        and node.name != "__init__"
    }


def is_super(node: ast.AST) -> bool:
    """Return whether an expression is a call of `super`."""
    named = isinstance(node, ast.Call) and node.func
    return isinstance(named, ast.Name) and named.id == "super"


def is_of_self(node: ast.Attribute) -> bool:
    """Return whether an attribute is one of `self`, or of `super()`."""
    of = node.value
    return is_super(of) or (isinstance(of, ast.Name) and of.id == "self")


def operands(node: ast.expr) -> list[ast.expr]:
    """Return what an operator computes its value of; nothing for anything else."""
    match node:
        case ast.UnaryOp(operand=value):
            return [value]
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.BoolOp(values=values) | ast.Tuple(elts=values):
            return values
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return [test, body, orelse]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
    return []


def compares_identity(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) and all(
        isinstance(one, (ast.Is, ast.IsNot)) for one in node.ops
    )


def _bypasses(node: ast.AST, method: str, source: Source) -> bool:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return node.id == method  # in its class, without `self`
    if not isinstance(node, ast.Attribute) or node.attr != method:
        return False
    if not is_super(node.value):
        return (_name_of(node.value) or "").lstrip("_")[:1].isupper()
    around: ast.AST = node
    while not isinstance(around, (ast.FunctionDef, ast.Module)):
        around = source.parents[around]
    return not isinstance(around, ast.FunctionDef) or around.name != method


def _assigned_by(
    node: ast.AST, source: Source
) -> Iterator[tuple[str, ast.expr | None]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _assigned_to(target, value)
        case ast.AnnAssign(target=target, value=value):
            yield from _assigned_to(target, value)
        case ast.AugAssign(target=target, value=value):
            yield from _assigned_to(target, value)
        case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
            by = source.parents[node]
            if not isinstance(by, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                yield name, None
        case ast.ClassDef():
            yield from _bound_by_class(node)
        case ast.Call(args=[_, ast.Constant(value=str(name)), *_]):
            if _name_of(node.func) == "setattr":
                yield name, None


def _assigned_to(
    target: ast.expr, value: ast.expr | None
) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(target, ast.Attribute):
        yield target.attr, value


def _bound_by_class(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr | None]]:
    for statement in node.body:
        match statement:
            # A decorator, such as that of dataclasses, may give it another value.
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=value)
            ) if not node.decorator_list:
                yield name, value
            case _:
                for name in bound_in(ast.Module([statement], [])):
                    yield name, None


def _assigns_any(node: ast.AST) -> bool:
    """Return whether an attribute may be assigned whose name is not known."""
    match node:
        case ast.Call(func=ast.Name(id="setattr"), args=args):
            return len(args) < 2 or not isinstance(args[1], ast.Constant)
        case ast.Attribute(attr="__dict__" | "__setattr__"):
            return True
        case ast.Call(func=ast.Name(id="vars")):
            return True
    return False


def _uses_any(node: ast.AST) -> bool:
    """Return whether attributes of other objects may be read by any name."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[of, name, *_]):
            of_self = isinstance(of, ast.Name) and of.id == "self"
            return not (of_self or isinstance(name, ast.Constant))
        case ast.Name(id="self", ctx=ast.Store()):
            return True
    return _assigns_any(node)


def _name_of(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return None
