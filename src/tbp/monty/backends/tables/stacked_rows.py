# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Rows of many segments in arrays that grow."""

from __future__ import annotations

from typing import Iterator, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.tables.held import HOST, Held, name_of

__all__ = ["SegmentKey", "StackedRows"]

_SPARE = 0.125
"""Spare room of a segment that has grown, as a fraction of its size."""


class SegmentKey(NamedTuple):
    """Whose hypotheses a segment holds."""

    learning_module: str
    graph: str


class StackedRows:
    """Where the rows of segments are; subclasses have the arrays.

    Structure of arrays. Each graph has a segment of every array, with spare room
    behind it. A segment that outgrows its room moves to the end of the arrays. When
    these are full, all segments move into new arrays, without gaps. So the cost of
    copying is proportional to what is added.

    Attributes:
        keys: The segments' keys, in the order in which they were added.
        starts: Where each segment starts, shape (segments,).
        counts: How many rows it has, shape (segments,).
    """

    def __init__(self) -> None:
        self.keys: Sequence[SegmentKey] = []
        self.starts = np.zeros(0, dtype=np.int64)
        self.counts = np.zeros(0, dtype=np.int64)
        self._rooms = np.zeros(0, dtype=np.int64)
        self._end = 0
        self._where = HOST

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
        self._move(indices, wanted + spare.astype(np.int64))

    def _move(
        self, indices: npt.NDArray[np.int64], rooms: npt.NDArray[np.int64]
    ) -> None:
        """Move segments to rows that nobody reads, with room of the given sizes."""
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
