# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Splits a method at a call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Sequence

import libcst as cst
import libcst.matchers as m

from ..failures import MissingAnchor
from .callables import last_name, renamed
from .carried import Carried, find_carried
from .columns import fitted_call
from .cut import Cut, cut_at
from .dispatch_half import DispatchHalf
from .method_checks import check_method
from .names import names_of
from .naming import Halves, fresh_name, halves_of
from .parameters import all_parameters, arguments_passing_on
from .pending import Pending
from .process_half import ProcessHalf
from .records import records_for
from .scopes import own_nodes
from .split_call import Refuse, check_call, find_call

__all__ = [
    "CutMethod",
    "SplitMethod",
    "SplitOptions",
    "cut_method",
    "split_method",
]

_IN_METHOD = 8
_UNUSED = m.TrailingWhitespace(comment=m.Comment("# noqa: ARG002"))


@dataclass(frozen=True)
class SplitOptions:
    """Where and how a method is split.

    Attributes:
        call: What is called where it is split, as in `self.work`.
        dispatch: What is called instead to dispatch the work. By default, the first
            half of the same method.
        process: What is called with that to have the result. By default, the second
            half.
        ticket: What the dispatched work is called. By default, as the method.
        ticket_type: Its type.
        types: Types of variables that are not annotated in the method.
        with_swallows: Whether a `with` in the method may swallow an exception.
        dispatch_docstring: The docstring of the first half.
        process_docstring: The docstring of the second half.
        halves_of_class: The class whose halves the whole method calls. By default,
            those of the instance's class.
    """

    call: str
    dispatch: str | None = None
    process: str | None = None
    ticket: str | None = None
    ticket_type: str | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    with_swallows: bool = True
    dispatch_docstring: str | None = None
    process_docstring: str | None = None
    halves_of_class: str | None = None


@dataclass(frozen=True)
class SplitMethod:
    """What becomes of a method.

    Attributes:
        methods: The whole method, now a composition, and its halves.
        records: The classes of what travels between the halves.
    """

    methods: Sequence[cst.FunctionDef]
    records: Sequence[cst.ClassDef]


@dataclass(frozen=True)
class CutMethod:
    """A method that can be split, and what its halves are made of.

    Attributes:
        method: The method.
        cut: Its statements, before and after the call.
        carried: What the second half needs of the first.
        pending: The object that it travels in.
        processing: The call in the second half that gives the result.
        first: The half that dispatches.
        second: The half that processes.
        returns_value: Whether the method returns values.
    """

    method: cst.FunctionDef
    cut: Cut
    carried: Carried
    pending: Pending
    processing: cst.Call
    first: DispatchHalf
    second: ProcessHalf
    returns_value: bool


def cut_method(
    method: cst.FunctionDef, type_name: str, options: SplitOptions, refuse: Refuse
) -> CutMethod:
    """Cut a method at a call, if its halves can do what it does.

    Args:
        method: The method.
        type_name: The class of what travels between the halves.
        options: Where and how.
        refuse: Makes the exception that says what cannot be split.

    Returns:
        The method, cut.

    Raises:
        MissingAnchor: If the method does not have the call.
    """
    function = cst.parse_expression(options.call)
    found = find_call(method, function)
    if found.call is None:
        if found.passed:
            raise refuse(f"{options.call} is passed and not called", found.passed[0])
        raise MissingAnchor(f"a call of {options.call}", method=method.name.value)
    check_method(method, refuse)
    check_call(found, options.call, refuse)

    callee = last_name(function)
    callee_halves = halves_of(callee)
    dispatch = _expression(options.dispatch) or renamed(
        found.call.func, callee_halves.dispatch
    )
    process = _expression(options.process) or renamed(function, callee_halves.process)
    parameters = [parameter.name.value for parameter in all_parameters(method.params)]
    names = names_of(method.body, process)
    taken = {*parameters, *names.used, *names.made_local}
    variable = fresh_name("pending", taken)
    ticket = fresh_name(options.ticket or callee.strip("_"), {*taken, variable})

    processing = cst.Call(
        process, [cst.Arg(cst.Attribute(cst.Name(variable), cst.Name(ticket)))]
    )
    cut = cut_at(method, found, _Dispatching(dispatch, ticket), processing)
    carried = find_carried(
        cut, parameters, ticket, found.call, refuse, options.with_swallows
    )
    pending = Pending(cut, carried, type_name, variable, ticket, taken)
    return CutMethod(
        method,
        cut,
        carried,
        pending,
        processing,
        DispatchHalf(cut, carried, pending),
        ProcessHalf(cut, carried, pending, processing),
        any(one.value is not None for one in own_nodes(method.body, cst.Return)),
    )


def split_method(
    method: cst.FunctionDef, type_name: str, options: SplitOptions, refuse: Refuse
) -> SplitMethod:
    """Split a method.

    Args:
        method: The method.
        type_name: The class of what travels between the halves.
        options: Where and how.
        refuse: Makes the exception that says what cannot be split.

    Returns:
        What becomes of it.
    """
    made = cut_method(method, type_name, options, refuse)
    pending, first = made.pending, made.first
    halves = halves_of(method.name.value)
    methods = [
        _composition(
            method,
            pending.variable,
            halves,
            made.returns_value,
            options.halves_of_class,
        ),
        first.build(
            method,
            halves.dispatch,
            options.dispatch_docstring
            or f"Dispatch the work of `{method.name.value}`.",
        ),
        made.second.build(
            method,
            halves.process,
            options.process_docstring
            or f"Process the results of `{method.name.value}`.",
            first,
            made.returns_value,
        ),
    ]
    types = {pending.ticket: options.ticket_type or "Any"}
    records = records_for(method, pending, {**types, **options.types}, first)
    return SplitMethod(methods, records)


@dataclass(frozen=True)
class _Dispatching:
    """Makes the statement that dispatches the work."""

    function: cst.BaseExpression
    ticket: str

    def __call__(self, call: cst.Call) -> cst.SimpleStatementLine:
        target = cst.AssignTarget(cst.Name(self.ticket))
        dispatched = call.with_changes(func=self.function)
        return cst.SimpleStatementLine([cst.Assign([target], dispatched)])


def _expression(text: str | None) -> cst.BaseExpression | None:
    return None if text is None else cst.parse_expression(text)


def _composition(
    method: cst.FunctionDef,
    variable: str,
    halves: Halves,
    returns_value: bool,
    halves_of_class: str | None,
) -> cst.FunctionDef:
    instance = [*method.params.posonly_params, *method.params.params][0].name.value
    passed_on = arguments_passing_on(method.params)
    owner, first = (halves_of_class, [instance]) if halves_of_class else (instance, [])
    result = "return " if returns_value else ""
    dispatch = (
        f"{variable} = {owner}.{halves.dispatch}({', '.join([*first, *passed_on])})"
    )
    process = f"{result}{owner}.{halves.process}({', '.join([*first, variable])})"
    body = []
    for text in (dispatch, process):
        line = cst.ensure_type(cst.parse_statement(text), cst.SimpleStatementLine)
        body.append(fitted_call(line, line.body[0].value, _IN_METHOD))
    if method.get_docstring() is not None:
        body.insert(0, method.body.body[0])
    parameters = method.params.visit(_AllAreUsed())
    method = method.with_changes(params=parameters)
    if isinstance(method.body, cst.IndentedBlock):
        return method.with_deep_changes(method.body, body=body, footer=[])
    return method.with_changes(body=cst.IndentedBlock(body))


class _AllAreUsed(cst.CSTTransformer):
    """Drops the remarks that a parameter is unused, since it is passed on."""

    def on_leave(
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode:
        if m.matches(original_node, _UNUSED):
            return cst.TrailingWhitespace()
        return updated_node
