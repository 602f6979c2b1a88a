# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The hypotheses of a graph, as a table holds them."""

from __future__ import annotations

import weakref
from typing import Any

import numpy.typing as npt

from tbp.monty.backends.tables.deferred import Deferred
from tbp.monty.backends.tables.segments import Segments

__all__ = ["KnownOfLM", "ResidentRows", "StaleHypotheses"]

_COLUMNS = ("evidence", "locations", "poses", "possible")


class StaleHypotheses(RuntimeError):
    """Hypotheses are read while their update runs."""


class KnownOfLM:
    """What is known of a learning module's segments.

    Attributes:
        touched: Those that were read or written to since they were handed out.
        highest: The highest evidence of each graph, if it is known.
        is_updating: Whether an update of the segments runs.
    """

    def __init__(self) -> None:
        self.touched: set[int] = set()
        self.highest: Any = None
        self.is_updating = False


def _column(name: str) -> property:
    def read(self: ResidentRows) -> npt.NDArray:
        return self.read(name)

    def write(self: ResidentRows, values: npt.NDArray) -> None:
        self.write(name, values)

    return property(read, write)


class ResidentRows:
    """Stands for the hypotheses of a graph from one update to the next.

    An array is copied when it is read, and only once: its reader may keep it, because
    arrays that a learning module makes itself are new on every step. What is written
    to such an array, or assigned in its place, is taken over by the table before its
    next update.

    A table on a device returns a `Deferred` for an array, which is copied later or
    never.

    Attributes:
        arrays: What has been read or assigned, by column.
    """

    evidence = _column("evidence")
    locations = _column("locations")
    poses = _column("poses")
    possible = _column("possible")

    def __init__(self, table: Segments, segment: int, known: KnownOfLM) -> None:
        self._table: Segments | None = table
        self._segment = segment
        self._known = known
        self._deferred: dict[str, weakref.ref[Deferred]] = {}
        self.arrays: dict[str, npt.NDArray] = {}

    @property
    def highest(self) -> Any:
        """The highest evidence of all graphs of the learning module, if known."""
        return None if self._table is None else self._known.highest

    def read(self, column: str) -> Any:
        """Return an array; the same one when it is asked for again."""
        known = self.arrays.get(column)
        if known is not None:
            return known
        if self._table is None or self._known.is_updating:
            raise StaleHypotheses(
                f"the {column} of hypotheses cannot be read while they are updated; "
                "read them before the step is dispatched or after it is processed"
            )
        self._known.touched.add(self._segment)
        reference = self._deferred.get(column)
        deferred = None if reference is None else reference()
        if deferred is not None:
            return deferred
        array = self._table.column(self._segment, column)
        if isinstance(array, Deferred):
            array.owner = self
            self._deferred[column] = weakref.ref(array)
        else:
            self.arrays[column] = array
        return array

    def write(self, column: str, values: npt.NDArray) -> None:
        """Assign an array."""
        self._known.touched.add(self._segment)
        self.arrays[column] = values

    def leave_table(self) -> None:
        """Copy all arrays: the table is about to change, and somebody has these."""
        if self._table is None:
            return
        for column in _COLUMNS:
            array = self.read(column)
            if isinstance(array, Deferred):
                array.fetch()
        self._table = None
