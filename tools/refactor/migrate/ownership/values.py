# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a method may do with the values of its expressions."""

from __future__ import annotations

import ast
import functools
import operator
from abc import ABC, abstractmethod
from functools import singledispatchmethod
from typing import Iterable, NoReturn

from ...phases.refusal import Refused
from .instance import Instance, Method, is_of
from .known_code import (
    MONTYS_ATTRIBUTES,
    makes_something_new,
    only_computes,
    only_reads,
    returns_part_of_argument,
)
from .module_code import code_of, is_constant
from .permissions import GIVEN, HELD, OPAQUE, OWN, May, within

__all__ = ["RETURNED", "Values", "refuse"]

RETURNED = "return"
"""The key of what a function returns, among its variables: no variable has it."""

_OF_ATTRIBUTES = {"__getattr__", "__getattribute__", "__setattr__", "__delattr__"}
_Loop = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def refuse(node: ast.AST) -> NoReturn:
    text = ast.unparse(node).partition("\n")[0]
    raise Refused(f"{text} may not belong to the learning module alone")


class Values(ABC):
    """Evaluates the expressions of methods.

    A variable has the permissions of all values that it is ever given.

    Attributes:
        touched: The attributes of the instance that are used.
    """

    def __init__(self, instance: Instance, with_montys: bool) -> None:
        """Set up the evaluation.

        Args:
            instance: What the project gives to the instance.
            with_montys: Whether the attributes and methods of Monty's learning module
                may be used.
        """
        self.touched: set[str] = set()
        self._instance = instance
        self._with_montys = with_montys
        self._method: Method
        self._step = ""
        self._scopes: list[dict[str, May]] = []

    @abstractmethod
    def returned(self, method: Method, arguments: May) -> May:
        """Return what may be done with the result of a method of the project."""

    def bind(self, name: str, value: May) -> None:
        """Give a variable a value; permissions only become fewer."""
        for scope in reversed(self._scopes):
            if name in scope:
                scope[name] &= value
                return

    def put_into(self, container: ast.expr, value: May) -> None:
        """Note that a value is now in a container, if a variable holds that."""
        while isinstance(container, (ast.Attribute, ast.Subscript)):
            container = container.value
        if isinstance(container, ast.Name):
            self.bind(container.id, value)

    def opaque_parameters(self, args: ast.arguments) -> dict[str, May]:
        """Return the parameters of a function that anything may be passed to."""
        self.all_passed([*args.defaults, *filter(None, args.kw_defaults)])
        names = [one.arg for one in ast.walk(args) if isinstance(one, ast.arg)]
        return dict.fromkeys(names, OPAQUE)

    def passed(self, node: ast.expr) -> May:
        """Return what may be done with a value that is passed on."""
        value = self.value(node)
        return value if May.PASS in value else refuse(node)

    def all_passed(self, nodes: Iterable[ast.expr]) -> May:
        return functools.reduce(operator.and_, map(self.passed, nodes), OWN)

    def looked_into(self, node: ast.expr) -> May:
        """Return what may be done with what is in a value."""
        value = self.value(node)
        return within(value) if value & (May.READ | May.CHANGE) else refuse(node)

    def is_step(self, node: ast.AST) -> bool:
        """Return whether a node calls the step of the base class."""
        return (
            isinstance(node, ast.Call)
            and is_of(node.func, "")  # of super(), not of the instance
            and node.func.attr == self._step
        )

    @singledispatchmethod
    def value(self, node: ast.AST) -> May:
        """Return what may be done with the value of an expression."""
        refuse(node)

    @value.register
    def _constant(self, node: ast.Constant) -> May:  # noqa: ARG002
        return OWN

    @value.register(ast.BinOp)
    @value.register(ast.UnaryOp)
    @value.register(ast.Compare)
    @value.register(ast.JoinedStr)
    @value.register(ast.FormattedValue)
    def _computed(self, node: ast.expr) -> May:
        self._joined(node)
        return OWN

    @value.register(ast.BoolOp)
    @value.register(ast.IfExp)
    @value.register(ast.List)
    @value.register(ast.Tuple)
    @value.register(ast.Set)
    @value.register(ast.Dict)
    @value.register(ast.Slice)
    @value.register(ast.Starred)
    def _joined(self, node: ast.expr) -> May:
        parts = ast.iter_child_nodes(node)
        return self.all_passed(one for one in parts if isinstance(one, ast.expr))

    @value.register
    def _name(self, node: ast.Name) -> May:
        for scope in reversed(self._scopes):
            if node.id in scope:
                return scope[node.id]
        if node.id == self._method.instance:
            raise Refused("it passes the learning module itself on")
        if is_constant(code_of(self._text).value(node.id)):
            return OWN
        return OWN if only_computes(self._function(node)) else refuse(node)

    @value.register
    def _attribute(self, node: ast.Attribute) -> May:
        if not is_of(node, self._method.instance):
            known = only_computes(self._function(node))
            return OWN if known else self.looked_into(node.value)
        if node.attr in self._instance.methods:
            return self._call_of_method(node, OPAQUE)
        self.touch(node)
        # What neither the project nor Monty assigns, somebody else may have set.
        montys = OWN if node.attr in MONTYS_ATTRIBUTES else OPAQUE
        return self._instance.attributes.get(node.attr, montys)

    @value.register
    def _subscript(self, node: ast.Subscript) -> May:
        self.passed(node.slice)
        return self.looked_into(node.value)

    @value.register
    def _walrus(self, node: ast.NamedExpr) -> May:
        value = self.value(node.value)
        self.bind(node.target.id, value)
        return value

    @value.register
    def _yield(self, node: ast.Yield) -> May:
        if node.value is not None:
            self.bind(RETURNED, self.passed(node.value))
        return OPAQUE

    @value.register
    def _lambda(self, node: ast.Lambda) -> May:
        self._scopes.append(self.opaque_parameters(node.args))
        value = self.passed(node.body)
        self._scopes.pop()
        return value

    @value.register(ast.ListComp)
    @value.register(ast.SetComp)
    @value.register(ast.GeneratorExp)
    @value.register(ast.DictComp)
    def _comprehension(self, node: _Loop) -> May:
        scope: dict[str, May] = {}
        self._scopes.append(scope)
        for one in node.generators:
            value = self.looked_into(one.iter)
            for name in ast.walk(one.target):
                if isinstance(name, ast.Name):
                    scope[name.id] = value
            self.all_passed(one.ifs)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        value = self.all_passed(parts)
        self._scopes.pop()
        return value

    @value.register
    def _call(self, node: ast.Call) -> May:
        arguments = [*node.args, *(one.value for one in node.keywords)]
        if self.is_step(node):
            for one in arguments:
                self.value(one)
            return GIVEN
        function = self._function(node.func)
        if function == "isinstance":
            arguments.pop()  # names of classes
        given = self.all_passed(arguments)
        if is_of(node.func, self._method.instance):
            return self._call_of_method(node.func, given)
        if only_computes(function) or self._logs(node.func):
            return OWN
        if returns_part_of_argument(function):
            writes = any(one.arg == "out" for one in node.keywords)
            return refuse(node) if writes else within(given)
        return HELD if makes_something_new(function) else self._called(node, given)

    def _called(self, node: ast.Call, given: May) -> May:
        """Call a method of a value, or a function that is made in the method."""
        if self._function(node.func) or self._is_of_module(node.func):
            raise Refused(f"what {ast.unparse(node.func)}() does is not known")
        if not isinstance(node.func, ast.Attribute):
            called = self.value(node.func)
            return called & given if May.CHANGE in called else refuse(node)
        receiver = self.value(node.func.value)
        if May.CHANGE in receiver:
            self.put_into(node.func.value, given)
            return within(receiver & given)
        reads = May.READ in receiver and only_reads(node.func.attr)
        return receiver & given if reads else refuse(node)

    def _is_of_module(self, node: ast.expr) -> bool:
        """Return whether a node is the name of a function or a class of the module."""
        return isinstance(node, ast.Name) and not self._is_local(node.id)

    def _call_of_method(self, node: ast.Attribute, arguments: May) -> May:
        self.touch(node)
        methods = self._instance.methods.get(node.attr, [])
        if not methods and node.attr in self._instance.attributes:
            refuse(node)
        result = OWN & arguments
        for method in methods:
            result &= self.returned(method, arguments)
        return within(result)

    def touch(self, node: ast.Attribute) -> None:
        """Note that an attribute of the instance is used."""
        name, project = node.attr, self._instance
        self.touched.add(name)
        if name.startswith("__") and name.endswith("__"):
            refuse(node)
        for special in sorted(_OF_ATTRIBUTES.intersection(project.methods)):
            raise Refused(f"{special} may do anything with {ast.unparse(node)}")
        is_montys = name not in {*project.methods, *project.attributes}
        if not self._with_montys and (is_montys or name in MONTYS_ATTRIBUTES):
            raise Refused(f"updates of graphs may use {ast.unparse(node)}")

    def _logs(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Attribute):
            return False
        name = node.value.id if isinstance(node.value, ast.Name) else ""
        logger = code_of(self._text).value(name)
        if isinstance(logger, ast.Call):
            return self._function(logger.func) == "logging.getLogger"
        return self._function(node) == f"logging.{node.attr}"

    @property
    def _text(self) -> str:
        return self._instance.index.texts[self._method.owner.file]

    def _is_local(self, name: str) -> bool:
        return name == self._method.instance or any(
            name in scope for scope in self._scopes
        )

    def _function(self, node: ast.expr) -> str:
        """Return the name of a function of Python or of a library; else nothing."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and self._is_local(root.id):
            return ""
        return self._instance.function(self._method.owner.file, node)
