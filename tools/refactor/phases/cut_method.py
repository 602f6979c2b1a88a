# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Cuts a method at a call, if its halves can do what it does."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from .carried import Carried, find_carried
from .cut import Cut, cut_at
from .dispatch_half import DispatchHalf
from .method_checks import check_method
from .names import names_of
from .naming import fresh_name, halves_of
from .parameters import all_parameters
from .pending import Pending
from .process_half import ProcessHalf
from .refusal import Refused
from .scopes import own_nodes
from .split_call import check_call, find_call

__all__ = ["CutMethod", "cut_method"]


@dataclass(frozen=True)
class CutMethod:
    """A method that can be split, and the parts of its halves.

    Attributes:
        method: The method.
        cut: Its statements, before and after the call.
        call: The call.
        carried: What the second half needs from the first.
        pending: The object that carries it.
        processing: The call in the second half that processes the result.
        first: The half that dispatches.
        second: The half that processes.
        returns_value: Whether the method returns values.
    """

    method: cst.FunctionDef
    cut: Cut
    call: cst.Call
    carried: Carried
    pending: Pending
    processing: cst.Call
    first: DispatchHalf
    second: ProcessHalf
    returns_value: bool


def cut_method(
    method: cst.FunctionDef, type_name: str, call: str, may_be_none: bool
) -> CutMethod:
    """Cut a method at a call.

    Args:
        method: The method.
        type_name: The class of the object passed between the halves.
        call: What is called there, as in `super().work`. The halves call its halves
            instead.
        may_be_none: Whether the first half may return None.

    Returns:
        The method, cut.

    Raises:
        Refused: If the halves could not do what the method does.
    """
    function = cst.ensure_type(cst.parse_expression(call), cst.Attribute)
    found = find_call(method, function)
    if found.call is None:
        raise Refused(f"{call} is passed and not called")
    check_method(method)
    check_call(found, call)

    callee = function.attr.value
    callee_halves = halves_of(callee)
    process = function.with_changes(attr=cst.Name(callee_halves.process))
    parameters = [parameter.name.value for parameter in all_parameters(method.params)]
    names = names_of(method.body, process)
    taken = {*parameters, *names.used, *names.made_local}
    variable = fresh_name("pending", taken)
    work = fresh_name(callee.strip("_"), {*taken, variable})

    dispatched = found.call.with_deep_changes(
        found.call.func, attr=cst.Name(callee_halves.dispatch)
    )
    dispatching = cst.Assign([cst.AssignTarget(cst.Name(work))], dispatched)
    processing = cst.Call(
        process, [cst.Arg(cst.Attribute(cst.Name(variable), cst.Name(work)))]
    )
    cut = cut_at(method, found, dispatching, processing)
    carried = find_carried(cut, parameters, work)
    pending = Pending(cut, carried, type_name, variable, work, taken)
    return CutMethod(
        method,
        cut,
        found.call,
        carried,
        pending,
        processing,
        DispatchHalf(cut, carried, pending, may_be_none),
        ProcessHalf(cut, carried, pending, processing),
        any(one.value is not None for one in own_nodes(method.body, cst.Return)),
    )
