# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The hypotheses of many graphs in a device's memory."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.device.column import DeviceColumn
from tbp.monty.backends.device.layout import HYPOTHESES, UPDATE_THREADS
from tbp.monty.backends.device.parcel import Parcel
from tbp.monty.backends.device.results import KnownResults
from tbp.monty.backends.device.stream import Memory, Stream
from tbp.monty.backends.tables.blocks import owners_and_firsts
from tbp.monty.backends.tables.segments import (
    COLUMNS,
    HYPOTHESIS_COLUMNS,
    Hypothesis,
    SegmentKey,
    Segments,
)

__all__ = ["DeviceHypothesisTable"]

_TWO_SIDED = ("evidence", "locations")


class _Column(NamedTuple):
    components: int
    dtype: np.dtype


class _Stretches(NamedTuple):
    """Rows to be copied, on a device."""

    blocks: int
    addresses: Sequence[int]
    parcel: Parcel  # keeps them


class DeviceHypothesisTable(Segments):
    """The hypotheses of a group of learning modules, resident on a device.

    Columns are structures of arrays: a component after the other, each with the whole
    capacity. Evidence and locations have two sides, of which each segment uses one: an
    update reads that and writes the other.

    Attributes:
        sides: Which side of evidence and locations is a segment's, shape (segments,).
        results: The results of the last updates, by segment.
    """

    def __init__(self, stream: Stream, window_size: int = 0) -> None:
        """Make a table without segments.

        Args:
            stream: What does the work.
            window_size: How many past values of the evidence to keep. Without any,
                there are neither ages nor slopes.
        """
        super().__init__(window_size)
        self._where = stream.where
        self.stream = stream
        self.sides = np.zeros(0, dtype=np.int64)
        self.results = KnownResults()
        self._capacity = 0
        self._may_be_possible = np.zeros(0, dtype=np.bool_)
        self._read_singly: set[tuple[int, str]] = set()
        real = stream.real
        self._columns = {
            "evidence": _Column(1, real),
            "locations": _Column(3, real),
            "poses": _Column(9, real),
            "possible": _Column(1, np.dtype(np.bool_)),
        }
        if window_size:
            self._columns["window"] = _Column(window_size, real)
            self._columns["slopes"] = _Column(1, real)
            self._columns["ages"] = _Column(1, np.dtype(np.int32))
        self._memories: dict[tuple[str, int], Memory] = {}
        self._structure: Memory | None = None

    @property
    def capacity(self) -> int:
        return self._capacity

    @property
    def address(self) -> int:
        """Where the structure that describes it is."""
        if self._structure is None:
            self._structure = self._describe()
        return self._structure.address

    def add(self, *keys: SegmentKey) -> None:
        super().add(*keys)
        zeros = np.zeros(len(keys), dtype=np.int64)
        self.sides = np.append(self.sides, zeros)
        self._may_be_possible = np.append(self._may_be_possible, zeros != 0)
        self.results.add(len(keys))

    def column(self, index: int, name: str) -> DeviceColumn:
        """Return what stands for a segment's part of a column, until it is read."""
        return DeviceColumn(self, index, name)

    def read(self, index: int, column: str) -> npt.NDArray:
        return self._read(index, column, 0, int(self.counts[index]))

    def read_single(self, index: int, column: str, row: int) -> npt.NDArray | None:
        """Return a copy of one hypothesis' part of a column, the first time.

        Args:
            index: The segment.
            column: The column.
            row: The hypothesis, by its place in the segment.

        Returns:
            None if one was read since the last update: whoever goes from one hypothesis
            to the next is better off with all of them.
        """
        if (index, column) in self._read_singly:
            return None
        self._read_singly.add((index, column))
        return self._read(index, column, row, 1)[0]

    def write(self, index: int, column: str, values: npt.NDArray) -> None:
        if column == "possible":
            is_any_possible = bool(np.any(values))
            if not is_any_possible and not self._may_be_possible[index]:
                return
            self._may_be_possible[index] = is_any_possible
        else:
            self.results.forget_most_likely([index])
        self._write(index, column, values, 0)

    def append(self, index: int, rows: HypothesisRows) -> None:
        added, before = len(rows), int(self.counts[index])
        if added == 0:
            return
        self.reserve([index], [before + added])
        for name in COLUMNS:
            self._write(index, name, getattr(rows, name), before)
        self._may_be_possible[index] |= bool(np.any(rows.possible))
        if self.window_size:
            unknown = np.full((added, self.window_size), np.nan)
            self._write(index, "window", unknown, before)
            self._write(index, "slopes", unknown[:, 0], before)
            self._write(index, "ages", np.zeros(added), before)
        self.counts[index] += added
        self.results.forget([index])

    def shorten(self, index: int, count: int) -> None:
        if count != self.counts[index]:
            self.results.forget([index])
        if count == 0:
            self._may_be_possible[index] = False
        super().shorten(index, count)

    def restart(self, indices: Sequence[int]) -> None:
        super().restart(indices)
        self.results.forget(indices)
        self._may_be_possible[indices] = False

    def keep_results(
        self, segments: npt.NDArray[np.int64], results: npt.NDArray
    ) -> None:
        """Cache what an update found, until the segments change."""
        self.results.keep(segments, results)
        self._read_singly.clear()

    def keep_voted(self, segments: npt.NDArray[np.int64], results: npt.NDArray) -> None:
        """Know what votes have changed of segments; slopes stay as they are.

        Segments whose slopes are not known must be read as before.
        """
        slopes = self.results.highest_slopes(segments)
        if None in slopes:
            are_known = [slope is not None for slope in slopes]
            segments, results = segments[are_known], results[are_known]
            slopes = [slope for slope in slopes if slope is not None]
        results["highest_slope"] = slopes
        self.keep_results(segments, results)

    def hypothesis(self, index: int, place: int) -> Hypothesis:
        found = self.results.of(index)
        known = None if found is None else found[0].hypothesis(found[1], place)
        if known is None:
            row = int(place)  # CUDA refuses an integer of numpy's in an address.
            known = Hypothesis(
                *(self._read(index, name, row, 1)[0] for name in HYPOTHESIS_COLUMNS)
            )
        return known

    def most_likely(self, index: int) -> tuple[np.intp, Hypothesis] | None:
        found = self.results.of(index)
        if found is not None:
            results, position = found
            place: Any = results.most_likely[position]
            known: Any = results.hypothesis(position, place)
            return place, known
        if not self.counts[index]:
            return None
        place = np.argmax(self.read(index, "evidence"))
        return place, self.hypothesis(index, place)

    def second_most_likely(self, index: int) -> np.intp | None:
        found = self.results.of(index)
        if found is None:
            return None
        second = found[0].second_most_likely[found[1]]
        return None if second < 0 else second

    def highest_slope(self, indices: Sequence[int]) -> float | None:
        slopes: list[Any] = self.results.highest_slopes(indices)
        return None if None in slopes else max(slopes)

    def free(self) -> None:
        """Free all memory; no hypotheses are left."""
        self.restart(list(range(len(self))))
        self._memories.clear()
        self._structure = None
        self._capacity = 0
        self._end = 0
        self.starts[:] = 0
        self._rooms[:] = 0

    def _row_bytes(self) -> Mapping[str, int]:
        kinds = {"table": 0, "window": 0}
        for name, column in self._columns.items():
            nbytes = column.components * column.dtype.itemsize
            kind = "table" if name in COLUMNS else "window"
            kinds[kind] += len(self._sides_of(name)) * nbytes
        return {kind: nbytes for kind, nbytes in kinds.items() if nbytes}

    def _read(self, index: int, column: str, first: int, count: int) -> npt.NDArray:
        shape = COLUMNS.get(column, ())
        if column == "window":
            shape = (self.window_size,)
        if column == "possible" and not self._may_be_possible[index]:
            return np.zeros(count, dtype=np.bool_)
        components, dtype = self._columns[column]
        if count == 0:
            return np.zeros((0, *shape), dtype=_host_type(dtype))
        values = self.stream.read(
            self._address(column, index, first),
            self._capacity * dtype.itemsize,
            (components, count),
            dtype,
        )
        values = values.astype(_host_type(dtype), copy=False)
        return np.ascontiguousarray(values.T).reshape(count, *shape)

    def _sides_of(self, column: str) -> tuple[int, ...]:
        return (0, 1) if column in _TWO_SIDED else (0,)

    def _address(self, column: str, index: int, place: int) -> int:
        side = int(self.sides[index]) if column in _TWO_SIDED else 0
        row = int(self.starts[index]) + place
        itemsize = self._columns[column].dtype.itemsize
        return self._memories[column, side].address + row * itemsize

    def _write(self, index: int, column: str, values: npt.NDArray, place: int) -> None:
        if len(values) == 0:
            return
        components, dtype = self._columns[column]
        rows = np.asarray(values).reshape(len(values), components).T
        self.stream.write(
            self._address(column, index, place),
            self._capacity * dtype.itemsize,
            np.ascontiguousarray(rows, dtype=dtype),
        )

    def _copy_rows(
        self, indices: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]
    ) -> None:
        self._copy(self._memories, self._capacity, indices, starts)

    def _move_all_to(self, starts: npt.NDArray[np.int64], capacity: int) -> None:
        fresh = {
            (name, side): self.stream.allocate(
                capacity * column.components * column.dtype.itemsize,
                f"the {name} of {capacity} hypotheses",
            )
            for name, column in self._columns.items()
            for side in self._sides_of(name)
        }
        if self._memories:
            self._copy(fresh, capacity, np.arange(len(self)), starts)
        # All or none: without enough memory the table stays as it is.
        self._memories = fresh
        self._capacity = capacity
        self._structure = None

    def _copy(
        self,
        to: Mapping[tuple[str, int], Memory],
        capacity: int,
        indices: npt.NDArray[np.int64],
        starts: npt.NDArray[np.int64],
    ) -> None:
        """Copy segments to other rows, of these columns or of others.

        Args:
            to: The columns to copy to.
            capacity: Their capacity.
            indices: The segments.
            starts: Where each is to start.
        """
        of_all = self._send_stretches(indices, starts)
        of_sides = []
        for side in (0, 1):
            is_here = self.sides[indices] == side
            of_sides.append(self._send_stretches(indices[is_here], starts[is_here]))
        for (name, side), memory in to.items():
            sent = of_sides[side] if name in _TWO_SIDED else of_all
            if sent is None:
                continue
            components, dtype = self._columns[name]
            self.stream.launch(
                f"copy_rows_{dtype.itemsize}",
                sent.blocks,
                UPDATE_THREADS,
                memory.address,
                self._memories[name, side].address,
                capacity,
                self._capacity,
                components,
                *sent.addresses,
            )

    def _send_stretches(
        self, indices: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]
    ) -> _Stretches | None:
        """Send where segments are and where they are to be; None without rows."""
        counts = self.counts[indices]
        owners, firsts = owners_and_firsts(counts, UPDATE_THREADS)
        if not len(owners):
            return None
        stretches = dict(
            owners=owners,
            firsts=firsts,
            to_starts=starts,
            from_starts=self.starts[indices],
            counts=counts,
        )
        parcel = Parcel(self.stream)
        sent = parcel.send(stretches)
        return _Stretches(len(owners), [sent[name] for name in stretches], parcel)

    def _describe(self) -> Memory:
        at = {key: memory.address for key, memory in self._memories.items()}
        columns: dict[str, Any] = {
            name: at.get((name, 0), 0)
            for name in ("poses", "possible", "window", "slopes", "ages")
        }
        for name in _TWO_SIDED:
            columns[name] = (at.get((name, 0), 0), at.get((name, 1), 0))
        values = HYPOTHESES.filled({**columns, "capacity": self._capacity})
        memory = self.stream.allocate(values.nbytes, "a table")
        self.stream.write(memory.address, values.nbytes, values.reshape(1, -1))
        return memory


def _host_type(dtype: np.dtype) -> np.dtype:
    return np.dtype(np.float64) if dtype.kind == "f" else dtype
