# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Walks through methods, and refuses what may not be their instance's own."""

from __future__ import annotations

import ast
from functools import singledispatchmethod
from typing import Sequence

from ...phases.refusal import Refused
from ..module_names import dotted
from .instance import Instance, Method, is_of
from .known_code import makes_something_new
from .module_code import FUNCTIONS, Function
from .permissions import GIVEN, OPAQUE, OWN, May, within
from .values import RETURNED, Values, refuse

__all__ = ["OwnCode"]

_KEEP_MEANING = ("property", "contextmanager", "override", "final")
_INNER = (*FUNCTIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp)


class OwnCode(Values):
    """Walks through the statements of methods.

    Permissions of variables only become fewer, so a function is walked through until
    they stay.
    """

    def __init__(self, instance: Instance, with_montys: bool) -> None:
        super().__init__(instance, with_montys)
        self._results: dict[tuple[Method, May], May] = {}

    def check_step(self, method: Method, parameters: Sequence[May]) -> None:
        """Refuse an override of a step if it touches more than its instance.

        Args:
            method: The override.
            parameters: What it may do with its arguments; the last permission is that
                of all further ones.

        Raises:
            Refused: If it may touch anything else.
        """
        self._step = method.node.name
        names = [one.arg for one in method.parameters[1:]]
        given = [*parameters, *[parameters[-1]] * len(names)]
        self._run_method(method, dict(zip(names, given, strict=False)))

    def returned(self, method: Method, arguments: May) -> May:
        key = (method, arguments)
        if key not in self._results:
            self._results[key] = OPAQUE  # for a method that calls itself
            names = [one.arg for one in method.parameters[1:]]
            given = dict.fromkeys(names, arguments & GIVEN)
            self._results[key] = self._run_method(method, given)
        return self._results[key]

    def _run_method(self, method: Method, parameters: dict[str, May]) -> May:
        for decorator in method.node.decorator_list:
            if not (dotted(decorator) or "").endswith(_KEEP_MEANING):
                raise Refused(f"{method.node.name} has a decorator")
        outside = getattr(self, "_method", method), self._scopes
        self._method, self._scopes = method, []
        result = self._run(method.node, parameters)
        self._method, self._scopes = outside
        return result

    def _run(self, node: Function, parameters: dict[str, May]) -> May:
        """Walk through a function, and return what may be done with its result."""
        if isinstance(node, ast.AsyncFunctionDef):
            raise Refused(f"{node.name} is async")
        variables = dict.fromkeys([*_variables(node), RETURNED], OWN)
        self._scopes.append({**variables, **parameters})
        before: list[dict[str, May]] = []
        while before != self._scopes:
            before = [{**one} for one in self._scopes]
            self._block(node.body)
        return self._scopes.pop()[RETURNED]

    def _block(self, *blocks: Sequence[ast.stmt]) -> None:
        for block in blocks:
            for statement in block:
                self._statement(statement)

    @singledispatchmethod
    def _statement(self, node: ast.stmt) -> None:
        if not isinstance(node, (ast.Pass, ast.Break, ast.Continue, ast.Nonlocal)):
            refuse(node)

    @_statement.register
    def _expression(self, node: ast.Expr) -> None:
        self.value(node.value)

    @_statement.register
    def _assignment(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self._assign(target, value)

    @_statement.register
    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assign(node.target, self.value(node.value))

    @_statement.register
    def _augmented(self, node: ast.AugAssign) -> None:
        counts = is_of(node.target, self._method.instance) and self._adds_number(node)
        if not counts:
            self._change(node.target)
        self._assign(node.target, self.passed(node.value))

    def _adds_number(self, node: ast.AugAssign) -> bool:
        """Return whether a number is added, which a list would refuse."""
        value = node.value
        if isinstance(value, ast.Call):
            is_number = self._function(value.func) == "len"
        else:
            is_number = isinstance(value, ast.Constant) and isinstance(
                value.value, (int, float)
            )
        return is_number and isinstance(node.op, (ast.Add, ast.Sub))

    @_statement.register
    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self._assign(target, OWN)

    @_statement.register
    def _return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.bind(RETURNED, self.passed(node.value))

    @_statement.register(ast.If)
    @_statement.register(ast.While)
    def _branch(self, node: ast.If | ast.While) -> None:
        self.passed(node.test)
        self._block(node.body, node.orelse)

    @_statement.register
    def _for(self, node: ast.For) -> None:
        self._assign(node.target, self.looked_into(node.iter))
        self._block(node.body, node.orelse)

    @_statement.register
    def _try(self, node: ast.Try) -> None:
        handlers = [one.body for one in node.handlers]
        self._block(node.body, *handlers, node.orelse, node.finalbody)

    @_statement.register(ast.Raise)
    @_statement.register(ast.Assert)
    def _raise(self, node: ast.stmt) -> None:
        parts = ast.iter_child_nodes(node)
        self.all_passed(one for one in parts if isinstance(one, ast.expr))

    @_statement.register
    def _function_made(self, node: ast.FunctionDef) -> None:
        if node.decorator_list:
            refuse(node)
        self.bind(node.name, self._run(node, self.opaque_parameters(node.args)))

    @_statement.register
    def _with(self, node: ast.With) -> None:
        around_step = any(map(self.is_step, ast.walk(node)))
        for item in node.items:
            value = self.value(item.context_expr)
            if not self._may_enter(item.context_expr, value, around_step):
                refuse(item.context_expr)
            if item.optional_vars is not None:
                self._assign(item.optional_vars, within(value))
        self._block(node.body)

    def _may_enter(self, node: ast.expr, value: May, around_step: bool) -> bool:
        """Return whether a context is the instance's own.

        Around a step, other learning modules are stepped before it is left. So it has
        to be seen how it is made.
        """
        called = node.func if isinstance(node, ast.Call) else node
        if is_of(called, self._method.instance):
            methods = self._instance.methods.get(called.attr, [])
            if methods and all(one.is_context for one in methods):
                return True
            is_known = bool(methods) or called.attr in self._instance.attributes
        else:
            is_known = makes_something_new(self._function(called))
        return May.CHANGE in value and (is_known or not around_step)

    def _assign(self, target: ast.expr, value: May) -> None:
        if isinstance(target, ast.Name):
            self.bind(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self._assign(one, within(value))
        elif isinstance(target, ast.Starred):
            self._assign(target.value, value)
        elif May.PASS not in value:
            refuse(target)
        elif is_of(target, self._method.instance):
            self.value(target)  # it may be a property
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            self._change(target.value)
            self.put_into(target.value, value)
            self.value(target)

    def _change(self, node: ast.expr) -> None:
        if May.CHANGE not in self.value(node):
            raise Refused(f"others may have {ast.unparse(node)}, which it changes")


def _variables(function: Function) -> set[str]:
    """Return the variables of a function, without those of functions in it."""
    names: set[str] = set()
    todo: list[ast.AST] = [*function.body]
    for node in todo:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, (*FUNCTIONS, ast.ExceptHandler)) and node.name:
            names.add(node.name)
        if not isinstance(node, (*_INNER, ast.GeneratorExp)):
            todo += ast.iter_child_nodes(node)
    return names
