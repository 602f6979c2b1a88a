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
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

from tbp.monty.backends.numpy.votes import VotesForGraph
from tbp.monty.backends.stacked.handed_out import (
    MOST_WAITING,
    HandedOut,
    HypothesesByGraph,
)
from tbp.monty.backends.stacked.lazy_dict import LATER
from tbp.monty.backends.tables.displacing import (
    displaced_location,
    displaced_locations,
)
from tbp.monty.backends.tables.likely_rows import LikelyRows
from tbp.monty.backends.tables.segments import (
    COLUMNS,
    HYPOTHESIS_COLUMNS,
    Deferred,
    Hypothesis,
    Segments,
)

__all__ = ["ResidentRows", "StaleHypotheses", "likely_rows"]


class StaleHypotheses(RuntimeError):
    """Hypotheses are read or assigned while their update runs."""


def likely_rows(hypotheses: Mapping[str, Any], threshold: float) -> LikelyRows | None:
    """Return the likely hypotheses of a learning module.

    Args:
        hypotheses: All of its hypotheses, by graph.
        threshold: How much evidence is needed, on the scale from -1 to 1.

    Returns:
        These hypotheses; None if a table does not hold all of them as they are.
    """
    if not isinstance(hypotheses, HypothesesByGraph):
        return None
    handed_out, graph_ids = hypotheses.handed_out, list(hypotheses)
    if handed_out.is_updating or handed_out.displacements or not graph_ids:
        return None
    handed_out.settle()
    segments = []
    held = handed_out.held_by_lm(hypotheses, graph_ids)
    for graph_id, rows in zip(graph_ids, held, strict=True):
        if rows is LATER:
            segments.append(handed_out.segments[graph_id])
        elif isinstance(rows, ResidentRows) and rows._is_whole_in(handed_out.table):
            segments.append(rows._segment)
        else:
            return None
    return handed_out.engine.likely_rows(handed_out.table, segments, threshold)


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
        displacements: How the hypotheses move before they are read or updated.
    """

    evidence = _column("evidence")
    locations = _column("locations")
    poses = _column("poses")
    possible = _column("possible")

    _read_last: tuple[Any, Hypothesis, int] | None = None
    """The hypothesis that was read last: its place, the hypothesis, and how many of the
    displacements it includes."""

    _most_likely: np.intp | None = None
    """The place of the most likely hypothesis, once it was asked for."""

    def __init__(self, table: Segments, segment: int, handed_out: HandedOut) -> None:
        self._table: Segments | None = table
        self._segment = segment
        self._handed_out = handed_out
        self.arrays: dict[str, npt.NDArray] = {}
        self.displacements: Sequence[npt.NDArray[np.float64]] = ()

    @property
    def in_table(self) -> bool:
        """Whether the table still holds the hypotheses."""
        return self._table is not None

    @property
    def count(self) -> int:
        """The number of hypotheses."""
        evidence = self.arrays.get("evidence")
        if evidence is None and self._table is not None:
            self._settle("number")
            return int(self._table.counts[self._segment])
        return len(self.evidence)

    def read(self, column: str) -> Any:
        """Return an array; the same one when it is asked for again."""
        array: Any = self.arrays.get(column)
        if array is not None:
            return array
        if self._table is None:
            raise StaleHypotheses(f"the {column} of hypotheses are gone")
        self._settle(column)
        self._handed_out.touched.add(self._segment)
        if self.displacements and column in ("locations", "poses"):
            # Whoever reads poses may change them: they have been displaced before.
            self.arrays["locations"] = displaced_locations(
                self._table.read(self._segment, "locations"),
                self._table.read(self._segment, "poses"),
                self.displacements,
            )
            self.displacements = ()
            return self.read(column)
        deferred = self._handed_out.deferred.get((self._segment, column))
        if deferred is not None and deferred.fetch_into is self.arrays:
            return deferred
        if deferred is not None:
            deferred.fetch()  # whoever reads former rows may write to it
        array = self._table.column(self._segment, column)
        if isinstance(array, Deferred):
            array.fetch_into = self.arrays
            self._handed_out.deferred[self._segment, column] = array
        else:
            self.arrays[column] = array
        return array

    def hypothesis(self, place: int) -> Hypothesis:
        """Return one hypothesis, without copying the others.

        A learning module reads its most likely hypothesis several times per step.
        While the hypotheses stay as they are, it gets the same arrays each time. After
        a displacement, only the location is new. What is written to it does not change
        the hypothesis, unless its array was read.
        """
        last, displacements = self._read_last, self.displacements
        # Whoever has an array of all hypotheses may have written to it.
        if last is None or last[0] != place or self.arrays:
            known = self._hypothesis_anew(place)
        else:
            handed_out = self._handed_out
            if handed_out.is_updating or handed_out.waiting:
                self._settle("rows")
            _, known, included = last
            if len(displacements) == included:
                return known
            evidence, location, pose = known
            location = displaced_location(location, pose, displacements[included:])
            known = Hypothesis(evidence, location, pose)
        self._read_last = place, known, len(displacements)
        return known

    def _hypothesis_anew(self, place: int) -> Hypothesis:
        table, segment, arrays = self._table, self._segment, self.arrays
        if table is not None:
            self._settle("rows")
        if table is None or not 0 <= place < table.counts[segment]:
            return Hypothesis(*(self.read(name)[place] for name in HYPOTHESIS_COLUMNS))
        known = table.hypothesis(segment, place)
        if self.displacements:
            evidence, location, pose = known
            location = displaced_location(location, pose, self.displacements)
            known = Hypothesis(evidence, location, pose)
        if arrays:
            parts = zip(HYPOTHESIS_COLUMNS, known, strict=True)
            known = Hypothesis(
                *(arrays[name][place] if name in arrays else of for name, of in parts)
            )
        return known

    @property
    def most_likely(self) -> np.intp | None:
        """The first hypothesis with the highest evidence; None if there is none."""
        if self._table is None or "evidence" in self.arrays:
            return np.argmax(self.evidence) if len(self.evidence) else None
        self._settle("evidence")
        if self._most_likely is None:
            found = self._table.most_likely(self._segment)
            if found is None:
                return None
            self._most_likely, known = found
            self._read_last = self._most_likely, known, 0
        return self._most_likely

    @property
    def second_most_likely(self) -> np.intp | None:
        """The only hypothesis with the second highest evidence; None if not known."""
        if self._table is None or "evidence" in self.arrays:
            return None
        self._settle("evidence")
        return self._table.second_most_likely(self._segment)

    def write(self, column: str, values: npt.NDArray) -> None:
        """Assign an array."""
        if self._table is not None:
            self._settle(column)
            self._handed_out.touched.add(self._segment)
            if self.displacements and column == "poses":
                self.read("locations")  # with the poses of before
            # Somebody may have the column of before, and keeps that.
            deferred = self._handed_out.deferred.pop((self._segment, column), None)
            if deferred is not None:
                deferred.fetch()
        self.arrays[column] = values
        if column == "locations":
            self.displacements = ()

    def displaced(self, displacement: npt.NDArray[np.float64]) -> Self:
        """Return the hypotheses, displaced in their own poses.

        They are displaced when somebody reads their locations, or by the table before
        its next update. These rows stay as they are for whoever keeps them; the two
        share the arrays that have been read.

        Args:
            displacement: How the sensor has moved, shape (3,).

        Returns:
            Other rows of the same table, in place of these.
        """
        table, handed_out, segment = self._table, self._handed_out, self._segment
        assert table is not None, "these hypotheses are not in a table"
        self._settle("locations")
        rows = type(self)(table, segment, handed_out)
        for column in COLUMNS if handed_out.deferred else ():
            deferred = handed_out.deferred.get((segment, column))
            if deferred is not None:
                deferred.fetch()  # whoever has it may write to it
                del handed_out.deferred[segment, column]
        is_read = "locations" in self.arrays or "poses" in self.arrays
        if is_read or len(self.displacements) == MOST_WAITING:
            moved = displaced_locations(self.locations, self.poses, [displacement])
            rows.arrays.update(self.arrays, locations=moved)
        else:
            rows.arrays.update(self.arrays)
            rows.displacements = [*self.displacements, displacement.copy()]
            rows._read_last = self._read_last
        # The learning module may have either; it may even displace these again.
        handed_out.keep_former(self)
        last = handed_out.last_rows(segment)
        if last is not None and last is not self:
            handed_out.keep_former(last)
        handed_out.rows[segment] = weakref.ref(rows)
        return rows

    def add_votes(self, votes: VotesForGraph) -> bool:
        """Add votes to the evidence, where the table holds it, before it is read.

        Args:
            votes: The votes.

        Returns:
            Whether that was done: not if the table does not hold these hypotheses, or
            if a learning module weighs distances in its own way.
        """
        table, handed_out, segment = self._table, self._handed_out, self._segment
        if table is None or votes.weights is not None:
            return False
        if not self._take_back("evidence", "locations"):
            return False
        if not table.counts[segment]:
            return True
        handed_out.copy_what_others_have()
        # Whoever has the evidence of before keeps it.
        self.arrays.pop("evidence", None)
        self._read_last = self._most_likely = None
        handed_out.votes.add(segment, votes, self.displacements, handed_out)
        self.displacements = ()
        return True

    def _take_back(self, *columns: str) -> bool:
        """Write arrays that were read or assigned back to the table.

        Returns:
            Whether the table has these hypotheses: not if they are former ones, or
            if there are more or fewer now.
        """
        table, segment = self._table, self._segment
        last = self._handed_out.rows.get(segment, weakref.ref(self))()
        if table is None or last is not self:
            return False
        self._settle(columns[0])
        arrays = {name: self.arrays[name] for name in columns if name in self.arrays}
        if any(len(values) != table.counts[segment] for values in arrays.values()):
            return False
        if arrays:
            # Former rows and columns that others have are of the table as it was.
            self._handed_out.copy_what_others_have()
        for column, values in arrays.items():
            table.write(segment, column, np.ma.getdata(values))
        return True

    def _is_whole_in(self, table: Segments) -> bool:
        """Return whether a table has these hypotheses, after taking them back."""
        if self._table is not table or self.displacements:
            return False
        return self._take_back("evidence", "locations", "poses")

    def _settle(self, column: str) -> None:
        """Let the table have all that waits; refuse while it is updated."""
        if self._handed_out.is_updating:
            raise StaleHypotheses(
                f"the {column} of hypotheses cannot be read or assigned while they are "
                "updated: do so before the step is dispatched or after it is "
                "processed; after an interrupt, step again or close the backend"
            )
        if self._segment in self._handed_out.waiting:
            self._handed_out.votes.settle()

    def leave_table(self) -> None:
        """Copy all arrays: the table is about to change, and somebody has these."""
        if self._table is None:
            return
        for column in COLUMNS:
            array = self.read(column)
            if isinstance(array, Deferred):
                array.fetch()
        self._table = None
