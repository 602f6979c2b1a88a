# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The hypotheses of a group of learning modules, stacked in arrays of numpy."""

from __future__ import annotations

from typing import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.tables.segments import COLUMNS, Hypothesis, Segments

__all__ = ["HypothesisTable"]


class HypothesisTable(Segments):
    """The hypotheses of all graphs of a group of learning modules, in arrays of numpy.

    A fork has the same arrays until it calls `own`.

    Attributes:
        evidence: Shape (capacity,).
        locations: Shape (capacity, 3).
        poses: Shape (capacity, 3, 3).
        window: The evidence after each of the last updates, in a ring, shape
            (capacity, window_size); NaN before a hypothesis existed.
        slopes: Mean change of evidence over the window, shape (capacity,).
        ages: The number of updates of a hypothesis, shape (capacity,).
    """

    def __init__(self, window_size: int = 0) -> None:
        """Make a table without segments.

        Args:
            window_size: How many past values of the evidence to keep. Without any,
                there are neither ages nor slopes.
        """
        super().__init__(window_size)
        self.evidence = np.empty(0)
        self.locations = np.empty((0, 3))
        self.poses = np.empty((0, 3, 3))
        self.columns = [*COLUMNS]
        if window_size:
            self.window = np.empty((0, window_size))
            self.slopes = np.empty(0)
            self.ages = np.empty(0, dtype=np.int32)
            self.columns += ["window", "slopes", "ages"]
        self._shared: set[str] = set()
        """Columns that the table has which this is a fork of."""

    def fork(self) -> Self:
        other = super().fork()
        other._shared = {*self.columns}
        return other

    def own(self, *columns: str) -> None:
        """Have copies of columns, to change rows that hypotheses are in."""
        for name in self._shared.intersection(columns):
            shared = getattr(self, name)
            copied = np.empty_like(shared)
            copied[: self._end] = shared[: self._end]
            setattr(self, name, copied)
            self._shared.discard(name)

    @property
    def capacity(self) -> int:
        return len(self.evidence)

    def read(self, index: int, column: str) -> npt.NDArray:
        return getattr(self, column)[self.segment(index)].copy()

    def write(self, index: int, column: str, values: npt.NDArray) -> None:
        self.own(column)
        getattr(self, column)[self.segment(index)] = values
        self.forget(index)

    def hypothesis(self, index: int, place: int) -> Hypothesis:
        row = self.starts[index] + place
        return Hypothesis(
            self.evidence[row], self.locations[row].copy(), self.poses[row].copy()
        )

    def highest_slope(self, indices: Sequence[int]) -> float:
        slopes = [np.zeros(0), *(self.slopes[self.segment(one)] for one in indices)]
        joined = np.concatenate(slopes)
        return joined.max(where=np.isfinite(joined), initial=-np.inf)

    def _put(self, index: int, columns: Mapping[str, npt.NDArray]) -> None:
        count = len(columns["evidence"])
        self.own(*columns)
        self.reserve([index], [count])
        self.counts[index] = count
        for name, values in columns.items():
            getattr(self, name)[self.segment(index)] = values

    def append(self, index: int, rows: HypothesisRows) -> None:
        """Add hypotheses at the end of a segment."""
        added = len(rows)
        if added == 0:
            return
        (start,) = self.extend([index], [added])
        fresh = slice(start, start + added)
        for name in COLUMNS:
            getattr(self, name)[fresh] = getattr(rows, name)
        self.forget(index)

    def extend(
        self, segments: Sequence[int], added: Sequence[int]
    ) -> npt.NDArray[np.int64]:
        """Add hypotheses that are yet to be written, at the ends of segments.

        Args:
            segments: The segments; one may be named several times.
            added: How many hypotheses to add to each.

        Returns:
            For each of these, the row where what was added starts.
        """
        sizes: dict[int, int] = {}
        for i, segment in enumerate(segments):
            before = sizes.get(segment, int(self.counts[segment]))
            sizes[segment] = before + int(added[i])
        self.reserve([*sizes], [*sizes.values()])
        starts = np.zeros(len(segments), dtype=np.int64)
        for i, segment in enumerate(segments):
            starts[i] = self.starts[segment] + self.counts[segment]
            self.counts[segment] += added[i]
            if self.window_size:
                fresh = slice(starts[i], starts[i] + added[i])
                self.window[fresh] = np.nan
                self.slopes[fresh] = np.nan
                self.ages[fresh] = 0
        return starts

    def retain(self, index: int, keep: npt.NDArray[np.bool_]) -> None:
        """Remove the hypotheses of a segment that are not to be kept."""
        kept = np.flatnonzero(keep)
        if len(kept) == self.counts[index]:
            return
        self.own(*self.columns)
        start = self.starts[index]
        for name in self.columns:
            column = getattr(self, name)
            column[start : start + len(kept)] = column[start + kept]
        self.counts[index] = len(kept)
        self.forget(index)

    def _row_bytes(self) -> Mapping[str, int]:
        kinds = {"table": 0, "window": 0}
        for name in self.columns:
            column = getattr(self, name)
            nbytes = column.dtype.itemsize * int(np.prod(column.shape[1:], initial=1))
            kinds["table" if name in COLUMNS else "window"] += nbytes
        return {kind: nbytes for kind, nbytes in kinds.items() if nbytes}

    def _copy_rows(
        self, indices: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]
    ) -> None:
        for i, index in enumerate(indices):
            old, start = self.segment(index), starts[i]
            for name in self.columns:
                column = getattr(self, name)
                column[start : start + self.counts[index]] = column[old]

    def _move_all_to(self, starts: npt.NDArray[np.int64], capacity: int) -> None:
        for name in self.columns:
            old = getattr(self, name)
            new = np.empty((capacity, *old.shape[1:]), dtype=old.dtype)
            for index, count in enumerate(self.counts):
                start, new_start = self.starts[index], starts[index]
                new[new_start : new_start + count] = old[start : start + count]
            setattr(self, name, new)
            self._shared.discard(name)
