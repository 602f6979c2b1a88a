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

from typing import Any, Iterator, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.tables.held import HOST, Held, name_of

__all__ = [
    "COLUMNS",
    "HYPOTHESIS_COLUMNS",
    "Deferred",
    "Hypothesis",
    "SegmentKey",
    "Segments",
]

COLUMNS = {"evidence": (), "locations": (3,), "poses": (3, 3), "possible": ()}
"""What learning modules know of a hypothesis: columns, and the shape of a row."""

_SPARE = 0.125
"""Spare room of a segment that has grown, as a fraction of its size."""


class SegmentKey(NamedTuple):
    """Whose hypotheses a segment holds."""

    learning_module: str
    graph: str


class Hypothesis(NamedTuple):
    """What learning modules know of one hypothesis, but for whether it is possible."""

    evidence: Any
    location: npt.NDArray[np.float64]
    pose: npt.NDArray[np.float64]


HYPOTHESIS_COLUMNS = ("evidence", "locations", "poses")
"""The columns of which a `Hypothesis` is a row."""


class Deferred:
    """Stands for an array on a device that is copied when it must be.

    It has the attribute `fetch_into`: where to put the copy, by the column's name.
    """

    __slots__ = ("__weakref__", "fetch_into")

    fetch_into: dict[str, npt.NDArray] | None

    def fetch(self) -> npt.NDArray:
        """Return the copy, made now or before."""
        raise NotImplementedError


class Segments:
    """The segments of a table; subclasses have the columns.

    Structure of arrays. Each graph has a segment of every array, with spare room
    behind it. A segment that outgrows its room moves to the end of the arrays. When
    these are full, all segments move into new arrays, without gaps. So the cost of
    copying is proportional to what is added.

    Removing hypotheses closes the gaps within their segment, and keeps the order.

    Attributes:
        keys: The segments' keys, in the order in which they were added.
        starts: Where each segment starts, shape (segments,).
        counts: How many hypotheses it has, shape (segments,).
        window_size: How many past values of the evidence are kept, or 0.
        newest: The window's slot of each segment's last update, shape (segments,).
        window_channels: The number of input channels behind each slot of a segment's
            window, shape (segments, window_size).
    """

    def __init__(self, window_size: int = 0) -> None:
        """Make a table without segments.

        Args:
            window_size: How many past values of the evidence to keep.
        """
        self.window_size = window_size
        self.keys: list[SegmentKey] = []
        self._index: dict[SegmentKey, int] = {}
        self.starts = np.zeros(0, dtype=np.int64)
        self.counts = np.zeros(0, dtype=np.int64)
        self._rooms = np.zeros(0, dtype=np.int64)
        self._end = 0
        self.newest = np.zeros(0, dtype=np.int64)
        self.window_channels = np.ones((0, window_size))
        self._where = HOST

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def capacity(self) -> int:
        """How many rows there is memory for."""
        raise NotImplementedError

    @property
    def layout(self) -> tuple[int, ...]:
        """Changes whenever `held` would return something else."""
        return len(self.keys), self._end, self.capacity

    def held(self) -> Iterator[Held]:
        """Yield the memory of each segment, with its spare room, and what is free."""
        made_by = name_of(self._move_all_to)
        used = "hypotheses, kept from step to step, with room for more"
        free = self.capacity - int(self._rooms.sum())
        for kind, nbytes in self._row_bytes().items():
            for key, room in zip(self.keys, self._rooms.tolist(), strict=True):
                if room:
                    yield Held(self._where, kind, room * nbytes, made_by, used, *key)
            if free:
                reason = "free rows, for segments that grow"
                yield Held(self._where, kind, free * nbytes, made_by, reason)

    def _row_bytes(self) -> Mapping[str, int]:
        """Return the bytes of a row, by kind of memory."""
        raise NotImplementedError

    def add(self, *keys: SegmentKey) -> None:
        """Add empty segments."""
        self._index.update({key: len(self) + i for i, key in enumerate(keys)})
        self.keys.extend(keys)
        none = np.zeros(len(keys), dtype=np.int64)
        self.starts = np.append(self.starts, none + self._end)
        self.counts = np.append(self.counts, none)
        self._rooms = np.append(self._rooms, none)
        self.newest = np.append(self.newest, none)
        new_channels = np.ones((len(keys), self.window_size))
        self.window_channels = np.vstack([self.window_channels, new_channels])

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

    def assign(self, index: int, rows: HypothesisRows) -> None:
        """Replace all hypotheses of a segment.

        With as many as there are, window and ages stay: it is the same hypotheses,
        changed. With another number they are new.
        """
        if len(rows) != self.counts[index]:
            self.shorten(index, 0)
            self.append(index, rows)
            return
        for column in COLUMNS:
            self.write(index, column, getattr(rows, column))

    def append(self, index: int, rows: HypothesisRows) -> None:
        """Add hypotheses at the end of a segment."""
        raise NotImplementedError

    def read(self, index: int, column: str) -> npt.NDArray:
        """Return a copy of a segment's part of a column."""
        raise NotImplementedError

    def column(self, index: int, name: str) -> npt.NDArray | Deferred:
        """Return what others may keep, and write to, of a segment."""
        return self.read(index, name)

    def write(self, index: int, column: str, values: npt.NDArray) -> None:
        """Replace a segment's part of a column."""
        raise NotImplementedError

    def hypothesis(self, index: int, place: int) -> Hypothesis:
        """Return one hypothesis of a segment."""
        raise NotImplementedError

    def most_likely(self, index: int) -> tuple[np.intp, Hypothesis] | None:
        """Return the first hypothesis with the highest evidence, and its place.

        Both are nearly always asked for. It is None if there are no hypotheses.
        """
        raise NotImplementedError

    def second_most_likely(self, index: int) -> np.intp | None:  # noqa: ARG002
        """Return the next hypothesis by evidence; None if it must be searched for."""
        return None

    def highest_slope(self, indices: Sequence[int]) -> float | None:
        """Return the highest finite slope of segments, or -inf; None if unknown."""
        raise NotImplementedError

    def shorten(self, index: int, count: int) -> None:
        """Remove the last hypotheses of a segment; `count` are left."""
        self.counts[index] = count

    def restart(self, indices: Sequence[int]) -> None:
        """Remove all hypotheses of segments and all memory of their updates."""
        index = np.asarray(indices, dtype=np.int64)
        self.counts[index] = 0
        self.newest[index] = 0
        self.window_channels[index] = 1.0

    def reserve(self, segments: npt.ArrayLike, sizes: npt.ArrayLike) -> None:
        """Make room for segments to grow to the given sizes without moving again.

        Args:
            segments: The segments, each named once.
            sizes: The size of each.
        """
        indices = np.asarray(segments, dtype=np.int64)
        wanted = np.asarray(sizes, dtype=np.int64)
        is_outgrown = wanted > self._rooms[indices]
        if not is_outgrown.any():
            return
        indices, wanted = indices[is_outgrown], wanted[is_outgrown]
        # The first size is known exactly. A segment that grows again is likely to
        # keep growing.
        spare = np.where(self._rooms[indices] > 0, wanted * _SPARE, 0)
        rooms = wanted + spare.astype(np.int64)
        if self._end + rooms.sum() > self.capacity:
            self._make_room(indices, rooms)
            return
        starts = self._end + np.cumsum(rooms) - rooms
        self._copy_rows(indices, starts)
        self.starts[indices] = starts
        self._rooms[indices] = rooms
        self._end += int(rooms.sum())

    def _make_room(
        self, indices: npt.NDArray[np.int64], rooms: npt.NDArray[np.int64]
    ) -> None:
        new_rooms = self._rooms.copy()
        new_rooms[indices] = rooms
        ends = np.cumsum(new_rooms)
        end = int(ends[-1])
        # Memory that is never written to costs nothing, so capacity is doubled, unless
        # most hypotheses were removed.
        capacity = max(end, min(2 * end, end + 2 * int(self.counts.sum())))
        self._move_all_to(ends - new_rooms, capacity)
        self.starts = ends - new_rooms
        self._rooms = new_rooms
        self._end = end

    def _copy_rows(
        self, indices: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]
    ) -> None:
        """Copy segments to other rows, which are free."""
        raise NotImplementedError

    def _move_all_to(self, starts: npt.NDArray[np.int64], capacity: int) -> None:
        """Move all segments into new columns."""
        raise NotImplementedError
