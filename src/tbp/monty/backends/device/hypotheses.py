# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The hypotheses of a group of learning modules, on a device."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.constants import SIDES, WINDOW_SLOTS
from tbp.monty.backends.device.copying import Column, Stretches, copy_rows
from tbp.monty.backends.device.layout import HYPOTHESES, RESULT
from tbp.monty.backends.device.stream import Memory, Stream, fetched
from tbp.monty.backends.numpy.evidence import rotated
from tbp.monty.backends.tables.segments import (
    COLUMNS,
    Hypothesis,
    SegmentKey,
    Segments,
)

__all__ = ["DeviceHypothesisTable"]


class DeviceHypothesisTable(Segments):
    """The hypotheses of a group of learning modules, resident on a device.

    Columns are structures of arrays: a component after the other, each with the whole
    capacity. They have two sides, of which each segment uses one. Whatever changes
    hypotheses reads that and writes the other; `sides` is changed when it is done.
    Poses have one side where no hypotheses are deleted, that is without a window.

    A fork has the same memory. It writes only to sides and rows that are not in use.

    Attributes:
        sides: Which side of its columns each segment uses, see `SIDES`.
        steepest: The highest finite slope of each segment, or -inf.
        found: What the last update or vote has found of each segment, as bytes: the
            most likely hypotheses among it.
        is_found: Where that is so still.
    """

    _COPIED = (*Segments._COPIED, "sides", "steepest", "found", "is_found")

    def __init__(self, stream: Stream, window_size: int = 0) -> None:
        """Make a table without segments.

        Args:
            stream: What does the work.
            window_size: How many past values of the evidence to keep. Without any,
                there are neither ages nor slopes.
        """
        super().__init__(window_size, window_size and WINDOW_SLOTS)
        self._where = stream.where
        self.stream = stream
        self.sides = np.zeros(0, dtype=np.int64)
        self.steepest = np.zeros(0)
        self.found = np.zeros((0, RESULT.itemsize), dtype=np.uint8)
        self.is_found = np.zeros(0, dtype=np.bool_)
        self._capacity = 0
        real, slopes, poses = stream.real, SIDES["slopes"], SIDES["poses"]
        self._columns = {
            "evidence": Column(1, real, SIDES["evidence"]),
            "locations": Column(3, real, SIDES["locations"]),
            "poses": Column(9, real, poses),
        }
        if window_size:
            self._columns["window"] = Column(self.slots, real, poses)
            self._columns["slopes"] = Column(1, real, slopes)
            self._columns["ages"] = Column(1, np.dtype(np.int32), slopes)
        self.memories: dict[tuple[str, int], Memory] = {}
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
        self.steepest = np.append(self.steepest, np.full(len(keys), -np.inf))
        nothing = np.zeros((len(keys), RESULT.itemsize), dtype=np.uint8)
        self.found = np.concatenate([self.found, nothing])
        self.is_found = np.append(self.is_found, zeros != 0)

    def read(self, index: int, column: str, sides: int | None = None) -> npt.NDArray:
        """Return a copy of a segment's part of a column.

        Args:
            index: The segment.
            column: The column.
            sides: On other sides than those that are in use.
        """
        return self._read(index, column, 0, int(self.counts[index]), sides)

    def write(self, index: int, column: str, values: npt.NDArray) -> None:
        bit = self._columns[column].bit
        if column in {"evidence", "locations"}:
            self.sides[index] ^= bit
            self._write(index, column, values)
            self.forget(index)
            return
        # Other columns are on the same side as these.
        history = self.history(index) if self.window_size else None
        rows = self.rows(index)
        self.assign(index, replace(rows, **{column: values}), history)

    def _put(self, index: int, columns: Mapping[str, npt.NDArray]) -> None:
        count = len(columns["evidence"])
        one = np.array([index], dtype=np.int64)
        # Its rows may still be in use.
        self._move(one, np.array([count], dtype=np.int64))
        self.counts[index] = count
        for name, values in columns.items():
            self._write(index, name, values)
        slopes = columns.get("slopes", np.zeros(0))
        self.steepest[index] = slopes.max(where=np.isfinite(slopes), initial=-np.inf)

    def forget(self, index: int) -> None:
        super().forget(index)
        self.is_found[index] = False

    def restart(self, indices: Sequence[int]) -> None:
        super().restart(indices)
        index = np.asarray(indices, dtype=np.int64)
        self.is_found[index] = False
        self.steepest[index] = -np.inf

    def keep_results(
        self, segments: npt.NDArray[np.int64], results: npt.NDArray
    ) -> None:
        """Know what an update or votes have found of segments."""
        # As bytes: numpy copies structures field by field.
        self.found[segments] = results.view(np.uint8).reshape(-1, RESULT.itemsize)
        self.is_found[segments] = results["most_likely"] >= 0
        self.highest[segments] = results["highest"]
        self.most_likely[segments] = results["most_likely"]
        self.is_known[segments] = True

    def displaced(
        self, segments: npt.NDArray[np.int64], displacement: npt.NDArray[np.float64]
    ) -> None:
        """Have locations on the other side, where they are displaced."""
        self.sides[segments] ^= SIDES["locations"]
        if self.stream.real.itemsize < displacement.itemsize:
            self.is_found[segments] = False
            return
        results = self.found[segments].view(RESULT)[:, 0]
        for which in ("", "second_"):
            poses = results[f"{which}pose"].reshape(-1, 3, 3)
            # Of one pose each, the bits are those that it has among others.
            moved = [rotated(one[np.newaxis], displacement)[0] for one in poses]
            results[f"{which}location"] += moved
        self.found[segments] = results.view(np.uint8).reshape(-1, RESULT.itemsize)

    def hypothesis(self, index: int, place: int) -> Hypothesis:
        result = self._result(index)
        for which in ("", "second_"):
            if result is not None and result[f"{which}most_likely"] == place:
                return Hypothesis(
                    result[f"{which}highest"],
                    result[f"{which}location"].copy(),
                    result[f"{which}pose"].reshape(3, 3).copy(),
                )
        # CUDA refuses an integer of numpy's in an address.
        row = int(place)
        return Hypothesis(*(self._read(index, name, row, 1)[0] for name in COLUMNS))

    def second_most_likely(self, index: int) -> int | None:
        result = self._result(index)
        second = -1 if result is None else int(result["second_most_likely"])
        return second if second >= 0 else None

    def highest_slope(self, indices: Sequence[int]) -> float:
        return self.steepest[indices].max(initial=-np.inf)

    def _result(self, index: int) -> Any:
        return self.found[index].view(RESULT)[0] if self.is_found[index] else None

    def _row_bytes(self) -> Mapping[str, int]:
        kinds = {"table": 0, "window": 0}
        for name, column in self._columns.items():
            nbytes = column.components * column.dtype.itemsize
            kind = "table" if name in COLUMNS else "window"
            kinds[kind] += len(self._sides_of(name)) * nbytes
        return {kind: nbytes for kind, nbytes in kinds.items() if nbytes}

    def _read(
        self, index: int, column: str, first: int, count: int, sides: int | None = None
    ) -> npt.NDArray:
        shape = COLUMNS.get(column, ())
        if column == "window":
            shape = (self.slots,)
        components, dtype, _ = self._columns[column]
        if count == 0:
            return np.zeros((0, *shape), dtype=_host_type(dtype))
        values = fetched(
            self.stream,
            self._address(column, index, first, sides),
            (components, count),
            dtype,
            self._capacity * dtype.itemsize,
        )
        values = values.astype(_host_type(dtype), copy=False)
        return np.array(values.T, order="C").reshape(count, *shape)

    def _sides_of(self, column: str) -> tuple[int, ...]:
        is_alone = column == "poses" and not self.window_size
        return (0,) if is_alone else (0, 1)

    def _address(
        self, column: str, index: int, place: int, sides: int | None = None
    ) -> int:
        _, dtype, bit = self._columns[column]
        side = int(self.sides[index]) if sides is None else sides
        memory = self.memories[column, 1 if side & bit else 0]
        return memory.address + (int(self.starts[index]) + place) * dtype.itemsize

    def _write(self, index: int, column: str, values: npt.NDArray) -> None:
        count = len(values)
        if count == 0:
            return
        components, dtype, _ = self._columns[column]
        rows = np.asarray(values).reshape(count, components).T.astype(dtype)
        address = self._address(column, index, 0)
        for i, row in enumerate(rows):
            self.stream.send(
                address + i * self._capacity * dtype.itemsize, row.tobytes()
            )

    def _copy_rows(
        self, indices: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]
    ) -> None:
        self._copy(self.memories, self._capacity, indices, starts)

    def _move_all_to(self, starts: npt.NDArray[np.int64], capacity: int) -> None:
        fresh = {
            (name, side): self.stream.allocate(
                capacity * column.components * column.dtype.itemsize,
                f"the {name} of {capacity} hypotheses",
            )
            for name, column in self._columns.items()
            for side in self._sides_of(name)
        }
        if self.memories:
            self._copy(fresh, capacity, np.arange(len(self)), starts)
        self.memories = fresh
        self._capacity = capacity
        self._structure = None

    def _copy(
        self,
        to: Mapping[tuple[str, int], Memory],
        capacity: int,
        indices: npt.NDArray[np.int64],
        starts: npt.NDArray[np.int64],
    ) -> None:
        """Copy segments to other rows, of these columns or of others."""
        stretches = Stretches(
            sides=self.sides[indices],
            counts=self.counts[indices],
            from_starts=self.starts[indices],
            to_starts=starts,
        )
        for (name, side), memory in to.items():
            here = stretches.on_side(self._columns[name].bit, side)
            copy_rows(
                self.stream,
                self._columns[name],
                here,
                (memory.address, capacity),
                (self.memories[name, side].address, self._capacity),
            )

    def _describe(self) -> Memory:
        at = {key: memory.address for key, memory in self.memories.items()}
        columns = {
            name: (at.get((name, 0), 0), at.get((name, 1), 0))
            for name in HYPOTHESES.names
            if name != "capacity"
        }
        values = HYPOTHESES.filled({**columns, "capacity": self._capacity})
        memory = self.stream.allocate(values.nbytes, "a table")
        self.stream.send(memory.address, values.tobytes())
        return memory


def _host_type(dtype: np.dtype) -> np.dtype:
    return np.dtype(np.float64) if dtype.kind == "f" else dtype
