# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The hypotheses of many graphs, stacked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["HypothesisRows", "HypothesisTable", "SegmentKey"]

_SPARE = 0.125
"""Room left in a segment that has outgrown its own, as a part of its size."""


class SegmentKey(NamedTuple):
    """Whose hypotheses a segment holds."""

    learning_module: str
    graph: str


@dataclass(frozen=True)
class HypothesisRows:
    """The hypotheses of one graph.

    Attributes:
        evidence: Shape (n,).
        locations: Shape (n, 3).
        poses: Rotation matrices, shape (n, 3, 3).
        possible: Whether a hypothesis may be the terminal state, shape (n,).
    """

    evidence: npt.NDArray[np.float64]
    locations: npt.NDArray[np.float64]
    poses: npt.NDArray[np.float64]
    possible: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.evidence)


class HypothesisTable:
    """The hypotheses of all graphs of a group of learning modules.

    Structure of arrays. Each graph has a segment of every array, with spare room
    behind it. A segment that outgrows its room moves to the end of the arrays; when
    these are full, all segments move into new arrays, without gaps. So what a step
    copies is in proportion to what it adds.

    Removing hypotheses closes the gaps within their segment, and keeps the order.

    Attributes:
        keys: The segments' keys, in the order in which they were added.
        starts: Where each segment starts, shape (segments,).
        counts: How many hypotheses it has, shape (segments,).
        revisions: Raised whenever the rows of a segment move, appear or disappear:
            what `rows` returned before is no longer the segment then.
        evidence: Shape (capacity,).
        locations: Shape (capacity, 3).
        poses: Shape (capacity, 3, 3).
        possible: Shape (capacity,).
        window_size: How many past values of the evidence are kept, or 0.
        window: The evidence after each of the last updates, in a ring, shape
            (capacity, window_size); NaN before a hypothesis existed.
        slopes: Mean change of evidence over the window, shape (capacity,).
        ages: The number of updates of a hypothesis, shape (capacity,).
        newest: The window's slot of each segment's last update, shape (segments,).
        window_channels: The number of input channels behind each slot of a segment's
            window, shape (segments, window_size).
    """

    def __init__(self, window_size: int = 0) -> None:
        """Make a table without segments.

        Args:
            window_size: How many past values of the evidence to keep. Without any,
                there are neither ages nor slopes.
        """
        self.window_size = window_size
        self.keys: list[SegmentKey] = []
        self._index: dict[SegmentKey, int] = {}
        self.starts = np.zeros(0, dtype=np.int64)
        self.counts = np.zeros(0, dtype=np.int64)
        self.revisions = np.zeros(0, dtype=np.int64)
        self._rooms = np.zeros(0, dtype=np.int64)
        self._end = 0
        self.newest = np.zeros(0, dtype=np.int64)
        self.window_channels = np.ones((0, window_size))

        self.evidence = np.empty(0)
        self.locations = np.empty((0, 3))
        self.poses = np.empty((0, 3, 3))
        self.possible = np.empty(0, dtype=np.bool_)
        self._columns = ["evidence", "locations", "poses", "possible"]
        if window_size:
            self.window = np.empty((0, window_size))
            self.slopes = np.empty(0)
            self.ages = np.empty(0, dtype=np.int32)
            self._columns += ["window", "slopes", "ages"]

    def __len__(self) -> int:
        return len(self.keys)

    def __contains__(self, key: SegmentKey) -> bool:
        return key in self._index

    @property
    def capacity(self) -> int:
        return len(self.evidence)

    @property
    def bytes_per_row(self) -> int:
        columns = [getattr(self, name) for name in self._columns]
        return sum(
            column.dtype.itemsize * int(np.prod(column.shape[1:], initial=1))
            for column in columns
        )

    def add(self, keys: Sequence[SegmentKey]) -> None:
        """Add empty segments, which is faster for many at once."""
        keys = [key for key in dict.fromkeys(keys) if key not in self._index]
        self._index.update({key: len(self.keys) + i for i, key in enumerate(keys)})
        self.keys.extend(keys)
        none = np.zeros(len(keys), dtype=np.int64)
        self.starts = np.append(self.starts, none + self._end)
        self.counts = np.append(self.counts, none)
        self.revisions = np.append(self.revisions, none)
        self._rooms = np.append(self._rooms, none)
        self.newest = np.append(self.newest, none)
        self.window_channels = np.vstack(
            [self.window_channels, np.ones((len(keys), self.window_size))]
        )

    def index(self, key: SegmentKey) -> int:
        """Return the segment of that key; without one, a new and empty segment."""
        if key not in self._index:
            self.add([key])
        return self._index[key]

    def segment(self, index: int) -> slice:
        start = self.starts[index]
        return slice(start, start + self.counts[index])

    def rows(self, index: int) -> HypothesisRows:
        """Return views of a segment: what is written to them is in the table."""
        segment = self.segment(index)
        return HypothesisRows(
            evidence=self.evidence[segment],
            locations=self.locations[segment],
            poses=self.poses[segment],
            possible=self.possible[segment],
        )

    def assign(self, index: int, rows: HypothesisRows) -> None:
        """Replace all hypotheses of a segment.

        With as many as there are, window and ages stay: it is the same hypotheses,
        changed. With another number they are new.
        """
        if len(rows) != self.counts[index]:
            self.clear(index)
            self.append(index, rows)
            return
        segment = self.segment(index)
        self.evidence[segment] = rows.evidence
        self.locations[segment] = rows.locations
        self.poses[segment] = rows.poses
        self.possible[segment] = rows.possible

    def append(self, index: int, rows: HypothesisRows) -> None:
        """Add hypotheses at the end of a segment."""
        added = len(rows)
        if added == 0:
            return
        (start,) = self.extend([index], [added])
        fresh = slice(start, start + added)
        self.evidence[fresh] = rows.evidence
        self.locations[fresh] = rows.locations
        self.poses[fresh] = rows.poses
        self.possible[fresh] = rows.possible

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
        self.reserve(sizes)
        starts = np.zeros(len(segments), dtype=np.int64)
        for i, segment in enumerate(segments):
            starts[i] = self.starts[segment] + self.counts[segment]
            self.counts[segment] += added[i]
            self.revisions[segment] += 1
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
        # What stands before the first gap stays where it is.
        moved = np.flatnonzero(kept != np.arange(len(kept)))
        first = moved[0] if len(moved) else len(kept)
        start = self.starts[index]
        for name in self._columns:
            column = getattr(self, name)
            column[start + first : start + len(kept)] = column[start + kept[first:]]
        self.shorten(index, len(kept))

    def shorten(self, index: int, count: int) -> None:
        """Remove the last hypotheses of a segment; `count` are left."""
        if count != self.counts[index]:
            self.counts[index] = count
            self.revisions[index] += 1

    def clear(self, index: int) -> None:
        """Remove all hypotheses of a segment. What its channels were stays known."""
        self.shorten(index, 0)

    def restart(self, index: int) -> None:
        """Remove all hypotheses of a segment and all memory of its updates."""
        self.clear(index)
        self.newest[index] = 0
        self.window_channels[index] = 1.0

    def reset(self) -> None:
        """Remove all hypotheses and all memory of updates; segments and room stay."""
        self.counts[:] = 0
        self.revisions += 1
        self.newest[:] = 0
        self.window_channels[:] = 1.0

    def reserve(self, sizes: Mapping[int, int]) -> None:
        """Make room for segments to grow to the given sizes without moving again."""
        outgrown = {
            index: int(size)
            for index, size in sizes.items()
            if size > self._rooms[index]
        }
        if not outgrown:
            return
        # A segment that grows for the first time was given its size by someone who
        # knows it; one that grows again is likely to grow on.
        rooms = {
            index: size + (int(size * _SPARE) if self._rooms[index] else 0)
            for index, size in outgrown.items()
        }
        needed = sum(rooms.values())
        if self._end + needed > self.capacity:
            self._move_all(rooms)
            return
        for index, room in rooms.items():
            self._move_to_end(index, room)

    def _move_to_end(self, index: int, room: int) -> None:
        old, fresh = self.segment(index), slice(self._end, None)
        for name in self._columns:
            column = getattr(self, name)
            column[fresh][: self.counts[index]] = column[old]
        self.starts[index] = self._end
        self._rooms[index] = room
        self._end += room
        self.revisions[index] += 1

    def _move_all(self, rooms: Mapping[int, int]) -> None:
        new_rooms = self._rooms.copy()
        for index, room in rooms.items():
            new_rooms[index] = room
        new_starts = np.concatenate([[0], np.cumsum(new_rooms)])
        end = int(new_starts[-1])
        # Memory that is never written to takes no place, so behind the segments there
        # may be as much again; only a table from which much was removed has less.
        capacity = max(end, min(2 * end, end + 2 * int(self.counts.sum())))
        for name in self._columns:
            # One column at a time, so that the old and the new table are never both
            # there as a whole.
            old = getattr(self, name)
            new = np.empty((capacity, *old.shape[1:]), dtype=old.dtype)
            for index, count in enumerate(self.counts):
                start = self.starts[index]
                new_start = new_starts[index]
                new[new_start : new_start + count] = old[start : start + count]
            setattr(self, name, new)
        self.starts = new_starts[:-1].astype(np.int64)
        self._rooms = new_rooms
        self._end = end
        self.revisions += 1
