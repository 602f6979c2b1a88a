# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The methods and attributes that a project gives to an instance of a class."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, TypeGuard

from ..class_index import ClassIndex, ProjectClass
from ..module_names import dotted
from .known_code import makes_something_new
from .module_code import FUNCTIONS, Function, code_of, is_constant
from .permissions import HELD, OPAQUE, May

__all__ = ["Instance", "Method", "is_of"]

_NEW = (
    ast.Constant,
    ast.JoinedStr,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.List,
    ast.Tuple,
    ast.Set,
    ast.Dict,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
)
_PLAIN_TYPES = {"int", "float", "str", "bool"}


@dataclass(frozen=True)
class Method:
    """A method of a project's class."""

    owner: ProjectClass
    node: Function

    @property
    def parameters(self) -> list[ast.arg]:
        """All parameters, the instance first."""
        args = self.node.args
        stars = [one for one in (args.vararg, args.kwarg) if one is not None]
        return [*args.posonlyargs, *args.args, *args.kwonlyargs, *stars]

    @property
    def instance(self) -> str:
        return self.parameters[0].arg if self.parameters else ""

    @property
    def is_context(self) -> bool:
        decorators = [dotted(one) or "" for one in self.node.decorator_list]
        return any(one.endswith("contextmanager") for one in decorators)


def is_of(node: ast.AST, instance: str) -> TypeGuard[ast.Attribute]:
    """Return whether a node is an attribute of the instance, or of `super()`."""
    if not isinstance(node, ast.Attribute):
        return False
    value = node.value
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id == "super"
    return isinstance(value, ast.Name) and value.id == instance


class Instance:
    """What the classes of a project add to Monty's learning module.

    Counted are all classes that may share an instance with one class: those above,
    below and beside it.

    Attributes:
        methods: The methods by name.
        attributes: What may be done with an attribute that the project assigns.
    """

    def __init__(self, index: ClassIndex, of: ProjectClass) -> None:
        self.index = index
        self.methods: dict[str, list[Method]] = {}
        self.attributes: dict[str, May] = {}
        orders = index.orders_with(of)
        for one in dict.fromkeys(one for order in orders for one in order):
            if isinstance(one, ProjectClass):
                for node in code_of(index.texts[one.file]).classes.get(one.name, []):
                    self._add_class(one, node)

    def _add_class(self, one: ProjectClass, node: ast.ClassDef) -> None:
        for statement in node.body:
            if isinstance(statement, FUNCTIONS):
                self._add_method(Method(one, statement))
            elif isinstance(statement, ast.AnnAssign) and statement.value is None:
                pass
            elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
                for name in _names_bound(statement):
                    # It is shared, but a constant cannot be changed.
                    self._add_attribute(name, is_constant(statement.value))
            else:
                for name in _names_bound(statement):
                    self._add_attribute(name, is_new=False)

    def _add_method(self, method: Method) -> None:
        self.methods.setdefault(method.node.name, []).append(method)
        values: dict[int, ast.expr | None] = {}
        for node in ast.walk(method.node):
            if isinstance(node, ast.Assign):
                values.update({id(target): node.value for target in node.targets})
            elif isinstance(node, ast.AnnAssign):
                values[id(node.target)] = node.value
            elif isinstance(node, ast.AugAssign):
                values[id(node.target)] = None  # it is assigned elsewhere
        for node in ast.walk(method.node):
            if not is_of(node, method.instance) or isinstance(node.ctx, ast.Load):
                continue
            # Bound in a loop or a with, it may be anything.
            value = values.get(id(node), node)
            if value is not None:
                self._add_attribute(node.attr, self._is_new(value, method))

    def _add_attribute(self, name: str, is_new: bool) -> None:
        known = self.attributes.get(name, HELD)
        self.attributes[name] = known & (HELD if is_new else OPAQUE)

    def _is_new(self, value: ast.expr, method: Method) -> bool:
        """Return whether a value belongs to nobody else."""
        if isinstance(value, _NEW):
            return True
        if isinstance(value, ast.BoolOp):
            return all(self._is_new(one, method) for one in value.values)
        if isinstance(value, ast.IfExp):
            branches = (value.body, value.orelse)
            return all(self._is_new(one, method) for one in branches)
        if isinstance(value, ast.Call):
            return makes_something_new(self.function(method.owner.file, value.func))
        return isinstance(value, ast.Name) and _is_plain(value.id, method)

    def function(self, file: Path, node: ast.expr) -> str:
        """Return the name of a function of Python or of a library; else nothing."""
        name = dotted(node) or ""
        first = name.partition(".")[0]
        if first in self.index.names(file).imports:
            return self.index.imported(file, name)
        return "" if code_of(self.index.texts[file]).bound[first] else name


def _is_plain(name: str, method: Method) -> bool:
    """Return whether a parameter is a number or text, by its type or its default."""
    args = method.node.args
    positional = [*args.posonlyargs, *args.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults))
    defaults += [*args.defaults, *args.kw_defaults]
    for one, default in zip([*positional, *args.kwonlyargs], defaults, strict=True):
        if one.arg == name and name not in _names_bound(method.node):
            typed = one.annotation is not None and dotted(one.annotation)
            number = isinstance(default, ast.Constant) and default.value is not None
            return typed in _PLAIN_TYPES if typed else number
    return False


def _names_bound(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds, also in functions in it."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name
