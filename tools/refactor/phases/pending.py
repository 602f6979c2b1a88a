# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The object that carries what the second half of a method needs from the first."""

from __future__ import annotations

from typing import Collection, Mapping

import libcst as cst

from .carried import Carried
from .cut import Cut
from .naming import fresh_name

__all__ = ["Pending"]


class Pending:
    """The state of a method between its halves.

    Attributes:
        type_name: The class of the object.
        finished_name: The class of what the first half returns where the method ended
            with a value before the call.
        variable: The name of the variable that holds the object.
        work: The field of the dispatched work.
        stacks: By level, the field of the entered `with` statement around the next.
        flags: By level on which the second half may begin, the field that says that it
            begins on a deeper one.
    """

    def __init__(
        self,
        cut: Cut,
        carried: Carried,
        type_name: str,
        variable: str,
        work: str,
        taken: Collection[str],
    ) -> None:
        """Choose the names of the fields, none of which the method has taken."""
        taken = {*taken, variable, work}
        self.type_name = type_name
        self.finished_name = type_name.replace("_Pending", "_Finished", 1)
        self.variable = variable
        self.work = work
        self._carried = carried
        self.stacks = {
            at: _take("stack", taken)
            for at, level in enumerate(cut.levels)
            if isinstance(level.around, cst.With)
        }
        *guards, self._innermost = carried.levels
        self.flags: dict[int, str] = {}
        for at in reversed(guards):
            name = "in_with" if at in self.stacks else "in_branch"
            self.flags[at] = _take(name if self.flags else "dispatched", taken)

    def arguments(self, level: int) -> list[str]:
        """Return the arguments that make the object where a level begins."""
        stacks = {name: f"{name}.pop_all()" for name in self.stacks.values()}
        flags = dict.fromkeys(self.flags.values(), "True")
        return [
            f"{name}={stacks.get(name) or flags.get(name) or name}"
            for name in self._names
            if self._is_set(name, level)
        ]

    def fields(self, types: Mapping[str, str]) -> list[str]:
        """Return the lines that declare the fields, those with a default last."""
        types = {
            **types,
            **dict.fromkeys(self.stacks.values(), "ExitStack"),
            **dict.fromkeys(self.flags.values(), "bool"),
        }
        names = sorted(self._names, key=lambda name: not self._is_always_set(name))
        return [self._field(name, types.get(name, "Any")) for name in names]

    @property
    def _names(self) -> list[str]:
        return [
            self.work,
            *self._carried.names,
            *self.stacks.values(),
            *self.flags.values(),
        ]

    def _field(self, name: str, annotation: str) -> str:
        """Declare a field, with a default if not every end of the half sets it."""
        if self._is_always_set(name):
            return f"{name}: {annotation}"
        if name in self.flags.values():
            return f"{name}: {annotation} = False"
        if annotation != "Any" and not annotation.endswith("| None"):
            annotation = f"{annotation} | None"
        return f"{name}: {annotation} = None"

    def _is_always_set(self, name: str) -> bool:
        return all(self._is_set(name, level) for level in self._carried.levels)

    def _is_set(self, name: str, level: int) -> bool:
        if name == self.work:
            return level == self._innermost
        for inner in (self.stacks, self.flags):
            for at, field in inner.items():
                if field == name:
                    return at < level
        return name in self._carried.variables[level]


def _take(wanted: str, taken: set[str]) -> str:
    name = fresh_name(wanted, taken)
    taken.add(name)
    return name
