# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Gives one method of an earlier protocol its present signature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Collection, Mapping, Sequence

import libcst as cst
import libcst.matchers as m

from ..nodes import find_all, replaced, visited
from ..phases.names import names_of
from ..phases.parameters import all_parameters
from ..phases.refusal import Refused
from ..phases.split_call import FoundCall, find_call

__all__ = [
    "Renewal",
    "arguments_of",
    "parameter_names",
    "renewed_call",
    "renewed_method",
    "renewed_override",
]

NOT_DISPLACED = ("evidence", "poses", "possible", "count")
"""What displacing hypotheses does not change."""


@dataclass(frozen=True)
class Renewal:
    """How a method changed.

    Attributes:
        old: Its former name.
        new: Its present one.
        parameters: The former parameters, in order.
        dropped: The former parameter that it no longer takes.
        hypotheses: The parameter with the hypotheses, which are now already displaced.
        renamed: Present names of parameters, by former name.
    """

    old: str
    new: str
    parameters: Sequence[str]
    dropped: str
    hypotheses: str
    renamed: Mapping[str, str]


def parameter_names(method: cst.FunctionDef) -> list[str]:
    """Return the names of a method's parameters, without `self`."""
    return [one.name.value for one in all_parameters(method.params)][1:]


def renewed_method(
    method: cst.FunctionDef, renewal: Renewal, calls: Collection[cst.Call]
) -> cst.FunctionDef:
    """Give a method its present name and parameters.

    Args:
        method: The method, with its former name and parameters.
        renewal: What changed.
        calls: Calls in the method that pass the dropped parameter on.

    Returns:
        The method. The calls in it are unchanged.

    Raises:
        Refused: If the method uses something that it no longer gets.
    """
    if parameter_names(method) != [*renewal.parameters]:
        raise Refused(
            f"its parameters are not ({', '.join(renewal.parameters)}), which "
            f"{renewal.old} had last"
        )
    _check_uses(method, renewal, calls)
    local = names_of(method.body)
    for old, new in renewal.renamed.items():
        if new in local.used | local.made_local:
            raise Refused(f"{old} is called {new} now, a name that the method uses")
    params = [
        one.with_deep_changes(one.name, value=renewal.renamed.get(name, name))
        for one in method.params.params
        if (name := one.name.value) != renewal.dropped
    ]
    if params and len(params) < len(method.params.params):
        last = method.params.params[-1]
        params[-1] = params[-1].with_changes(comma=last.comma)
    return method.with_changes(
        name=cst.Name(renewal.new),
        params=method.params.with_changes(params=params),
        body=visited(method.body, _Rename(renewal.renamed)),
    )


def renewed_override(
    method: cst.FunctionDef, renewal: Renewal, found: FoundCall
) -> cst.FunctionDef:
    """Give a method that calls the one it overrides its present name.

    Args:
        method: The method, with the former name and parameters.
        renewal: What changed.
        found: Its call of `super()`.

    Returns:
        The method, which calls the present one.

    Raises:
        Refused: If it does not pass its arguments on.
    """
    if found.others:
        raise Refused("it calls super() more than once")
    former = cst.ensure_type(found.call, cst.Call)
    given = arguments_of(former, renewal)
    for name in (renewal.dropped, renewal.hypotheses):
        if not m.matches(given[name].value, m.Name(name)):
            raise Refused(f"it passes another {name} on than it is given")
    renewed = renewed_method(method, renewal, [former])
    # The names in it were changed together with those of the method.
    call = cst.ensure_type(find_call(renewed, former.func).call, cst.Call)
    return replaced(renewed, call, renewed_call(call, renewal, "super()"))


def renewed_call(call: cst.Call, renewal: Renewal, receiver: str) -> cst.Call:
    """Give a call its present name and arguments.

    Args:
        call: The call, with its former name and arguments.
        renewal: What changed.
        receiver: The new callable, without its last name.

    Returns:
        The call.

    Raises:
        Refused: If an argument cannot be matched to a parameter.
    """
    given = arguments_of(call, renewal)
    args = []
    for name, argument in given.items():
        if name == renewal.dropped:
            continue
        keyword = argument.keyword and cst.Name(renewal.renamed.get(name, name))
        args.append(argument.with_changes(keyword=keyword))
    if args and call.args[-1] is given[renewal.dropped]:
        args[-1] = args[-1].with_changes(
            comma=call.args[-1].comma,
            whitespace_after_arg=call.args[-1].whitespace_after_arg,
        )
    function = cst.Attribute(cst.parse_expression(receiver), cst.Name(renewal.new))
    return call.with_changes(func=function, args=args)


def arguments_of(call: cst.Call, renewal: Renewal) -> dict[str, cst.Arg]:
    """Return the arguments of a call by the names of the parameters."""
    given: dict[str, cst.Arg] = {}
    for at, argument in enumerate(call.args):
        if argument.star or at >= len(renewal.parameters):
            raise Refused(f"the arguments of {renewal.old} are not known by name")
        name = argument.keyword.value if argument.keyword else renewal.parameters[at]
        given[name] = argument
    if {*given} != {*renewal.parameters}:
        raise Refused(f"the arguments of {renewal.old} are not the ones it had last")
    return given


def _check_uses(
    method: cst.FunctionDef, renewal: Renewal, calls: Collection[cst.Call]
) -> None:
    plain = m.Attribute(
        value=m.Name(renewal.hypotheses),
        attr=m.Name(m.MatchIfTrue(lambda name: name in NOT_DISPLACED)),
    )
    allowed: set[cst.CSTNode | None] = {
        *(one.value for one in find_all(method.body, cst.Attribute, plain)),
        *(one.keyword for one in find_all(method.body, cst.Arg, m.Arg())),
    }
    for call in calls:
        for argument in call.args:
            allowed.update(m.findall(argument, m.Name()))
    names = find_all(method.body, cst.Name, m.Name())
    used = {one.value for one in names if one not in allowed}
    if renewal.dropped in used:
        raise Refused(f"it uses {renewal.dropped}, which {renewal.new} is not given")
    if renewal.hypotheses in used:
        raise Refused(
            f"it uses {renewal.hypotheses}, which are displaced already when "
            f"{renewal.new} is called"
        )


class _Rename(cst.CSTTransformer):
    """Renames a variable, and leaves attributes and keywords of that name alone."""

    def __init__(self, renamed: Mapping[str, str]) -> None:
        super().__init__()
        self._renamed = renamed

    def leave_Attribute(  # noqa: N802
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(  # noqa: N802
        self, original_node: cst.Arg, updated_node: cst.Arg
    ) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_Name(  # noqa: N802
        self, original_node: cst.Name, updated_node: cst.Name
    ) -> cst.Name:
        name = original_node.value
        return updated_node.with_changes(value=self._renamed.get(name, name))
