# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Finds what the second half of a cut method needs from the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Collection, Sequence

from .cut import Cut
from .flow import Assigned, Flow
from .names import names_of
from .refusal import Refused

__all__ = ["Carried", "find_carried"]


@dataclass(frozen=True)
class Carried:
    """What the first half passes to the second.

    The first half ends where it has dispatched the work, or where control has passed by
    the call: after a branch without the call, or after a `with` that swallowed an
    exception. The second half begins on the matching level of the cut.

    Attributes:
        variables: The variables that the second half needs, by the level on which it
            begins. The innermost level is the one of the call.
        falls_off: Whether the first half may reach the end of the method.
    """

    variables: dict[int, Sequence[str]]
    falls_off: bool

    @property
    def levels(self) -> list[int]:
        return sorted(self.variables)

    @property
    def names(self) -> list[str]:
        """All variables, those of the call's level first."""
        ordered: dict[str, None] = {}
        for level in reversed(self.levels):
            ordered.update(dict.fromkeys(self.variables[level]))
        return list(ordered)


def find_carried(cut: Cut, parameters: Sequence[str], work: str) -> Carried:
    """Find what the second half of a cut method needs from the first.

    Args:
        cut: The method.
        parameters: The names of its parameters, the instance first.
        work: The variable that the first half keeps the dispatched work in.

    Returns:
        What the first half passes to the second.

    Raises:
        Refused: If the halves cannot share a variable.
    """
    variables = _Variables(cut, parameters, work)
    flow = Flow(cut.whole())
    begins = {
        flow.entry(level.after[0]): at
        for at, level in enumerate(cut.levels)
        if level.after
    }
    states = flow.assigned(parameters, begins)
    if flow.entry(cut.levels[-1].after[0]) not in states:
        raise Refused("the call is never reached")
    carried: dict[int, Sequence[str]] = {}
    for point, at in begins.items():
        if point not in states:
            continue
        needed = (flow.live(point) & variables.local) - {parameters[0], work}
        variables.check_that_they_travel(needed, states[point])
        carried[at] = sorted(needed & states[point].possibly)
    result = Carried(carried, falls_off=flow.end in states)
    variables.check_that_none_is_shared(result.names)
    return result


class _Variables:
    """The variables of a method and how its halves treat them."""

    def __init__(self, cut: Cut, parameters: Collection[str], work: str) -> None:
        self._first = names_of(*cut.first_half())
        self._second = names_of(*cut.second_half())
        self._parameters = set(parameters)
        made_local = self._first.made_local | self._second.made_local
        self.local = made_local | self._parameters | {work}

    def check_that_they_travel(self, needed: set[str], assigned: Assigned) -> None:
        for name in sorted(needed):
            if name not in assigned.possibly:
                # It has no value, and has none in the second half either, unless
                # nothing there makes it a local variable.
                if name not in self._second.made_local:
                    raise Refused(f"{name} is used where it never has a value")
            elif name not in assigned.surely:
                raise Refused(
                    f"{name} is used after the call, and may have no value before it"
                )

    def check_that_none_is_shared(self, carried: Collection[str]) -> None:
        """Refuse a variable that both halves would have to see change."""
        first, second = self._first, self._second
        for names, reason in (
            (
                (first.used & self.local) - first.made_local - self._parameters,
                "is used before the call, and first assigned after",
            ),
            (
                first.captured & (second.made_local | second.nonlocals),
                "is used by a function made before the call, and assigned after it",
            ),
            (
                (first.nonlocals | second.nonlocals) & set(carried),
                "is needed after the call, and nonlocal in a function",
            ),
        ):
            if names:
                raise Refused(f"{min(names)} {reason}")
