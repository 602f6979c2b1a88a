# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Refuses methods that would behave differently in halves, whatever the call."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from ..nodes import find_all
from .names import names_of
from .parameters import all_parameters
from .refusal import Refused
from .scopes import own_nodes

__all__ = ["check_method"]

_NAME_THAT_KEEPS_MEANING = m.Name("final") | m.Name("override")
_KEEPS_MEANING = _NAME_THAT_KEEPS_MEANING | m.Attribute(attr=_NAME_THAT_KEEPS_MEANING)
_SEES_THE_FRAME = m.Call(func=m.Name("locals") | m.Name("exec") | m.Name("eval")) | (
    m.Call(func=m.Name("vars") | m.Name("dir"), args=[])
)
_FRESH_EACH_TIME = (
    m.Call() | m.List() | m.Dict() | m.Set() | m.ListComp() | m.DictComp() | m.SetComp()
)
_REFUSED: dict[type[cst.CSTNode], str] = {
    cst.Yield: "a generator",
    cst.Global: "a global declaration",
    cst.Nonlocal: "a nonlocal declaration",
    cst.Match: "a match statement",
    cst.TryStar: "an except* clause",
}
_IMPLICITLY_STATIC = {"__new__", "__init_subclass__", "__class_getitem__"}


def check_method(method: cst.FunctionDef) -> None:
    """Refuse a method that cannot be split anywhere.

    Raises:
        Refused: If it is such a method.
    """
    if method.asynchronous is not None:
        raise Refused("an async method")
    if method.name.value in _IMPLICITLY_STATIC:
        raise Refused(f"{method.name.value}, which is not called on an instance")
    for decorator in method.decorators:
        if not m.matches(decorator.decorator, _KEEPS_MEANING):
            raise Refused("a decorator, which would not apply to the halves")
    parameters = method.params
    if not (parameters.posonly_params or parameters.params):
        raise Refused("a method without a parameter for the instance")
    for parameter in all_parameters(parameters):
        _check_default(parameter)
    if method.get_docstring() is not None and not _stands_alone(method.body.body[0]):
        raise Refused("a docstring on a line with other statements")
    for node in own_nodes(method.body, *_REFUSED):
        raise Refused(_REFUSED[type(node)])
    for call in find_all(method.body, cst.Call, _SEES_THE_FRAME):
        name = cst.ensure_type(call.func, cst.Name).value
        raise Refused(f"{name}(), which sees the variables of a half")
    first = [*parameters.posonly_params, *parameters.params][0].name.value
    _check_names(method, first)


def _stands_alone(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1


def _check_names(method: cst.FunctionDef, first: str) -> None:
    body = names_of(method.body)
    made_local = body.made_local | body.nonlocals
    for name in sorted(body.used | made_local):
        if name == "__class__":
            reason = "__class__, which only works in the method itself"
        elif name.startswith("__") and not name.endswith("__"):
            reason = f"{name}, a name that Python changes in classes"
        elif name == first and name in made_local:
            reason = f"{first}, which is given another value"
        else:
            continue
        raise Refused(reason)


def _check_default(parameter: cst.Param) -> None:
    if parameter.default is not None and m.findall(parameter.default, _FRESH_EACH_TIME):
        raise Refused(
            f"the default of {parameter.name.value}, which the first half would not "
            "share"
        )
