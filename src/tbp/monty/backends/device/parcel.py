# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Many small arrays in one transfer."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.stream import Memory, Stream
from tbp.monty.backends.device.structures import Structure

__all__ = ["Parcel", "Sent"]


class Sent:
    """Arrays in the memory of a device, and a structure that tells where they are."""

    def __init__(self, memory: Memory, offsets: Mapping[str, int]) -> None:
        self._memory = memory
        self._offsets = offsets

    def address(self, name: str) -> int:
        return self._memory.address + self._offsets[name]


class Parcel:
    """Arrays to be sent to a device together.

    Floats are sent in the device's precision, everything else as 64-bit integers.
    """

    def __init__(self, real: np.dtype) -> None:
        self._real = real
        self._parts: list[npt.NDArray] = []
        self._offsets: dict[str, int] = {}
        self._size = 0
        self._structure: tuple[str, Structure, Mapping[str, Any]] | None = None

    def add(self, name: str, values: npt.ArrayLike) -> None:
        values = np.asarray(values)
        dtype = self._real if values.dtype.kind == "f" else np.int64
        part = np.ascontiguousarray(values, dtype=dtype)
        self._offsets[name] = self._size
        self._parts.append(part)
        self._size += -(-part.nbytes // 8) * 8

    def add_all(self, arrays: Mapping[str, npt.ArrayLike]) -> None:
        for name, values in arrays.items():
            self.add(name, values)

    def add_structure(
        self, name: str, structure: Structure, numbers: Mapping[str, Any]
    ) -> None:
        """Add a structure that points to what the parcel has by the fields' names.

        Args:
            name: What to call it.
            structure: Its fields.
            numbers: Those that are numbers, or addresses of what is elsewhere.
        """
        self._structure = (name, structure, numbers)
        self.add(name, np.zeros(len(structure.names), dtype=np.int64))

    def send(self, stream: Stream, memory: Memory | None = None) -> tuple[Sent, Memory]:
        """Send everything in one transfer.

        Args:
            stream: What it belongs to.
            memory: Where to, if there is room; else, memory is taken.

        Returns:
            Where it is, and the memory.
        """
        if memory is None or memory.nbytes < self._size:
            memory = stream.allocate(_roomy(self._size), "the input of a step")
        sent = Sent(memory, self._offsets)
        if self._structure is not None:
            self._fill_structure(sent)
        staging = stream.staging(self._size)
        for i, offset in enumerate(self._offsets.values()):
            part = self._parts[i]
            if part.nbytes:
                flat = staging[offset : offset + part.nbytes]
                flat[:] = part.reshape(-1).view(np.uint8)
        stream.send(memory.address, staging)
        return sent, memory

    def _fill_structure(self, sent: Sent) -> None:
        assert self._structure is not None
        name, structure, numbers = self._structure
        values = {
            field: numbers[field] if field in numbers else sent.address(field)
            for field in structure.names
        }
        self._parts[list(self._offsets).index(name)] = structure.filled(values)


def _roomy(size: int) -> int:
    # A power of two, so that a parcel that grows is rarely allocated again.
    return max(4096, 1 << (size - 1).bit_length())
