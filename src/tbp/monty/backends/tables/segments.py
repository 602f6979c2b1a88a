# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Where in stacked columns the hypotheses of each graph stand."""

from __future__ import annotations

import copy
from typing import Any, ClassVar, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

from tbp.monty.backends.described_work import EvidenceHistory, HypothesisRows
from tbp.monty.backends.numpy.slopes import mean_slopes
from tbp.monty.backends.tables.stacked_rows import SegmentKey, StackedRows

__all__ = ["COLUMNS", "Hypothesis", "SegmentKey", "Segments"]

COLUMNS = {"evidence": (), "locations": (3,), "poses": (3, 3)}
"""What a hypothesis is: columns, and the shape of a row."""


class Hypothesis(NamedTuple):
    """One hypothesis: a row of `COLUMNS`."""

    evidence: Any
    location: npt.NDArray[np.float64]
    pose: npt.NDArray[np.float64]


class Segments(StackedRows):
    """The segments of a table; subclasses have the columns.

    A table that is in use is not changed. Who changes hypotheses calls `fork`, changes
    what that returns, and puts it in the place of the table when nothing can fail any
    more. Until then, or if something fails, the table is as it was.

    Attributes:
        keys: The segments' keys, in the order in which they were added.
        window_size: How many past values of the evidence are kept, or 0.
        slots: How many there is memory for, in a ring.
        newest: The slot of each segment's last update, shape (segments,).
        window_channels: The number of input channels behind each slot of a segment,
            shape (segments, slots).
        highest: The highest evidence of each segment, where it is known.
        most_likely: The first hypothesis that has it, where it is known; -1 if there
            are no hypotheses.
        is_known: Where it is.
        possible: Which hypotheses may be the terminal state, by segment. Of other
            segments, none is.
    """

    _COPIED: ClassVar[Sequence[str]] = (
        *("starts", "counts", "_rooms", "newest", "window_channels"),
        *("highest", "most_likely", "is_known", "possible"),
    )
    """What `fork` copies, because it is changed in place."""

    def __init__(self, window_size: int = 0, slots: int | None = None) -> None:
        """Make a table without segments.

        Args:
            window_size: How many past values of the evidence to keep.
            slots: For how many there is to be memory; as many by default.
        """
        self.window_size = window_size
        self.slots = window_size if slots is None else slots
        super().__init__()
        self.keys: list[SegmentKey] = []
        self._index: dict[SegmentKey, int] = {}
        self.newest = np.zeros(0, dtype=np.int64)
        self.window_channels = np.ones((0, self.slots))
        self.highest = np.zeros(0)
        self.most_likely = np.zeros(0, dtype=np.int64)
        self.is_known = np.zeros(0, dtype=np.bool_)
        self.possible: dict[int, npt.NDArray[np.bool_]] = {}

    def __len__(self) -> int:
        return len(self.keys)

    def fork(self) -> Self:
        """Return a table with the same hypotheses, to change it in place of this one.

        While it exists, only one of the two is to be used.
        """
        other = copy.copy(self)
        for name in self._COPIED:
            setattr(other, name, getattr(self, name).copy())
        return other

    def add(self, *keys: SegmentKey) -> None:
        """Add empty segments."""
        many = len(keys)
        # Not in place: a table that this is a fork of has fewer.
        new = {key: len(self) + i for i, key in enumerate(keys)}
        self._index = {**self._index, **new}
        self.keys = [*self.keys, *keys]
        none = np.zeros(many, dtype=np.int64)
        self.starts = np.append(self.starts, none + self._end)
        self.counts = np.append(self.counts, none)
        self._rooms = np.append(self._rooms, none)
        self.newest = np.append(self.newest, none)
        new_channels = np.ones((many, self.slots))
        self.window_channels = np.vstack([self.window_channels, new_channels])
        self.highest = np.append(self.highest, np.full(many, -np.inf))
        self.most_likely = np.append(self.most_likely, none - 1)
        self.is_known = np.append(self.is_known, np.ones(many, dtype=np.bool_))

    def index(self, key: SegmentKey) -> int:
        """Return the segment of that key; without one, a new and empty segment."""
        return self.indices([key])[0]

    def indices(self, keys: Sequence[SegmentKey]) -> list[int]:
        """Return the segments of different keys; as `index`, but faster for many."""
        new = [key for key in keys if key not in self._index]
        if new:
            self.add(*new)
        return [self._index[key] for key in keys]

    def owner_of(self, index: int) -> str:
        """Return whose hypotheses a segment holds, for messages."""
        key = self.keys[index]
        return f"learning module {key.learning_module!r}, graph {key.graph!r}"

    def segment(self, index: int) -> slice:
        start = self.starts[index]
        return slice(start, start + self.counts[index])

    def assign(
        self, index: int, rows: HypothesisRows, history: EvidenceHistory | None = None
    ) -> None:
        """Replace all hypotheses of a segment.

        Args:
            index: The segment.
            rows: The hypotheses.
            history: Their past evidence. Without it, or if it is of another number
                of hypotheses, they are new.
        """
        columns: dict[str, npt.NDArray] = {
            name: np.asarray(getattr(rows, name)) for name in COLUMNS
        }
        self.restart([index])
        if self.window_size:
            count, extra = len(rows), self.slots - self.window_size
            ages: npt.NDArray = np.zeros(count, dtype=np.int32)
            slopes = np.full(count, np.nan)
            window = np.full((count, self.slots), np.nan)
            if history is not None and len(history.ages) == count:
                ages, window[:, extra:] = history.ages, history.window
                slopes = mean_slopes(history.window, history.channels)
                self.newest[index] = self.slots - 1
                self.window_channels[index, extra:] = history.channels
            columns.update(window=window, slopes=slopes, ages=ages)
        possible = np.array(rows.possible, dtype=np.bool_)
        if possible.any():
            self.possible[index] = possible
        self._put(index, columns)
        self.forget(index)

    def _put(self, index: int, columns: Mapping[str, npt.NDArray]) -> None:
        """Have an empty segment hold these columns, in rows that nobody reads."""
        raise NotImplementedError

    def write(self, index: int, column: str, values: npt.NDArray) -> None:
        """Replace a segment's part of a column."""
        raise NotImplementedError

    def read(self, index: int, column: str) -> npt.NDArray:
        """Return a copy of a segment's part of a column."""
        raise NotImplementedError

    def rows(self, index: int) -> HypothesisRows:
        """Return copies of all that a segment holds."""
        columns = [self.read(index, name) for name in COLUMNS]
        possible = self.possible.get(index)
        if possible is None:
            possible = np.zeros(int(self.counts[index]), dtype=np.bool_)
        evidence, locations, poses = columns
        return HypothesisRows(evidence, locations, poses, possible.copy())

    def history(self, index: int) -> EvidenceHistory:
        """Return copies of a segment's past evidence."""
        size, oldest = self.window_size, self.newest[index] + 1
        extra = self.slots - size
        order = (oldest + extra + np.arange(size)) % self.slots
        return EvidenceHistory(
            window=self.read(index, "window")[:, order],
            ages=self.read(index, "ages").astype(np.int_),
            channels=self.window_channels[index, order],
        )

    def hypothesis(self, index: int, place: int) -> Hypothesis:
        """Return one hypothesis of a segment."""
        raise NotImplementedError

    def forget(self, index: int) -> None:
        """Forget which hypothesis of a segment is the most likely: it has changed."""
        self.is_known[index] = False

    def know(self, indices: npt.ArrayLike) -> None:
        """Find out which hypotheses are the most likely, where that is not known."""
        for index in np.asarray(indices, dtype=np.int64).tolist():
            if self.is_known[index]:
                continue
            evidence = self.read(index, "evidence")
            best = int(evidence.argmax()) if len(evidence) else -1
            self.most_likely[index] = best
            self.highest[index] = evidence[best] if len(evidence) else -np.inf
            self.is_known[index] = True

    def second_most_likely(self, index: int) -> int | None:  # noqa: ARG002
        """Return the next hypothesis by evidence; None if it must be searched for."""
        return None

    def highest_slope(self, indices: Sequence[int]) -> float:
        """Return the highest finite slope of segments, or -inf."""
        raise NotImplementedError

    def restart(self, indices: Sequence[int]) -> None:
        """Remove all hypotheses of segments and all memory of their updates."""
        index = np.asarray(indices, dtype=np.int64)
        self.counts[index] = 0
        self.newest[index] = 0
        self.window_channels[index] = 1.0
        self.highest[index] = -np.inf
        self.most_likely[index] = -1
        self.is_known[index] = True
        for each in indices:
            self.possible.pop(each, None)
