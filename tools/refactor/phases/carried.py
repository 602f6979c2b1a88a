# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Finds what the second half of a cut method needs of the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Collection, Sequence

import libcst as cst
import libcst.matchers as m

from .cut import Cut
from .flow import Assigned, Flow
from .names import names_of
from .scopes import own_nodes
from .split_call import Refuse

__all__ = ["Carried", "find_carried"]


@dataclass(frozen=True)
class Carried:
    """What goes from one half to the other.

    The first half ends where it has dispatched the work, or where it has gone past the
    call: after a branch that does not hold it, or after a `with` that swallowed an
    exception. The second half begins accordingly, on some level of the cut.

    Attributes:
        variables: By the level that the second half begins on, the variables that it
            needs. The innermost level is the one of the call.
        falls_off: Whether the first half may come to the end of the method.
    """

    variables: dict[int, Sequence[str]]
    falls_off: bool

    @property
    def levels(self) -> list[int]:
        return sorted(self.variables)

    @property
    def names(self) -> list[str]:
        """All variables, those of the call's own level first."""
        ordered: dict[str, None] = {}
        for level in reversed(self.levels):
            ordered.update(dict.fromkeys(self.variables[level]))
        return list(ordered)


def find_carried(
    cut: Cut,
    parameters: Sequence[str],
    ticket: str,
    call: cst.Call,
    refuse: Refuse,
    with_swallows: bool = True,
) -> Carried:
    """Find what the second half of a cut method needs of the first.

    Args:
        cut: The method.
        parameters: The names of its parameters, the instance first.
        ticket: The variable that the first half keeps the dispatched work in.
        call: The call that it is cut at.
        refuse: Makes the exception where the halves cannot share a variable.
        with_swallows: Whether a `with` may swallow an exception.

    Returns:
        What goes from one to the other.
    """
    variables = _Variables(cut, parameters, ticket)
    flow = Flow(cut.whole(), with_swallows)
    begins = {
        flow.entry(level.after[0]): at
        for at, level in enumerate(cut.levels)
        if level.after
    }
    states = flow.assigned(parameters, begins)
    # The x of `x += self.work()` is read before the call.
    read_first = {
        node.target.value
        for node in own_nodes(cut.levels[-1].after[0], cst.AugAssign)
        if isinstance(node.target, cst.Name)
    }
    if flow.entry(cut.levels[-1].after[0]) not in states:
        raise refuse("the call is never reached", call)
    carried = {}
    for point, at in begins.items():
        if point not in states:
            continue
        needed = (flow.live(point) & variables.local) - {parameters[0], ticket}
        missing = variables.that_do_not_travel(needed, states[point], read_first)
        if missing:
            name, reason = missing
            raise refuse(f"{name} {reason}", _first_use(cut, name, call))
        carried[at] = sorted(needed & states[point].possibly)
    result = Carried(carried, falls_off=flow.end in states)
    shared = variables.that_are_shared(result.names)
    if shared:
        name, reason = shared
        raise refuse(f"{name} {reason}", call)
    return result


class _Variables:
    """The variables of a method and how its halves treat them."""

    def __init__(self, cut: Cut, parameters: Collection[str], ticket: str) -> None:
        self._first = names_of(*cut.first_half())
        self._second = names_of(*cut.second_half())
        self._parameters = set(parameters)
        made_local = self._first.made_local | self._second.made_local
        self.local = made_local | self._parameters | {ticket}

    def that_do_not_travel(
        self, needed: set[str], assigned: Assigned, read_first: Collection[str]
    ) -> tuple[str, str] | None:
        for name in sorted(needed):
            if name not in assigned.possibly:
                # It has no value, and the second half finds it without one, unless
                # nothing there makes it a local variable.
                if name not in self._second.made_local or name in read_first:
                    return name, "is used where it never has a value"
            elif name not in assigned.surely:
                return name, "is used after the call, and may have no value before it"
        return None

    def that_are_shared(self, carried: Collection[str]) -> tuple[str, str] | None:
        """Find a variable that both halves would have to see change."""
        first, second = self._first, self._second
        unassigned = (first.used & self.local) - first.made_local - self._parameters
        if unassigned:
            return min(unassigned), "is used before the call, and first assigned after"
        rebound = first.captured & (second.made_local | second.nonlocals)
        if rebound:
            reason = "is used by a function made before the call, and assigned after it"
            return min(rebound), reason
        rebound = (first.nonlocals | second.nonlocals) & set(carried)
        if rebound:
            return min(rebound), "is needed after the call, and nonlocal in a function"
        return None


def _first_use(cut: Cut, name: str, call: cst.Call) -> cst.CSTNode:
    with_call = cut.levels[-1].after[0]
    for level in reversed(cut.levels):
        for statement in level.after:
            for found in m.findall(statement, m.Name(name)):
                return call if statement is with_call else found
    return call
