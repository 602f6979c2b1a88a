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

from typing import Any, Mapping, Tuple

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.stream import Memory, Stream
from tbp.monty.backends.device.structures import Structure

__all__ = ["Described", "send_together"]

Described = Tuple[Structure, Mapping[str, Any]]
"""A structure that points to arrays by the names of its fields; and its other fields,
which are numbers, or addresses of what is elsewhere."""


def send_together(
    stream: Stream,
    arrays: Mapping[str, npt.ArrayLike],
    memory: Memory | None = None,
    described: Described | None = None,
) -> tuple[Mapping[str, int], Memory]:
    """Send arrays to a device in one transfer.

    Floats are sent in the device's precision, everything else as 64-bit integers.

    Args:
        stream: What they belong to.
        arrays: The arrays, by name.
        memory: Where to, if there is room; else, memory is taken.
        described: A structure to send with them, by its own name.

    Returns:
        The address of each by its name, and the memory.
    """
    if described is not None:
        room = np.zeros(len(described[0].names), dtype=np.int64)
        arrays = {**arrays, described[0].name: room}
    parts, offsets, size = {}, {}, 0
    for name, values in arrays.items():
        array = np.asarray(values)
        dtype = stream.real if array.dtype.kind == "f" else np.int64
        parts[name] = np.ascontiguousarray(array, dtype=dtype)
        offsets[name] = size
        size += -(-parts[name].nbytes // 8) * 8
    if memory is None or memory.nbytes < size:
        # A power of two, so that what grows is rarely allocated again.
        nbytes = max(4096, 1 << (size - 1).bit_length())
        memory = stream.allocate(nbytes, "the input of a step")
    addresses = {name: memory.address + offset for name, offset in offsets.items()}
    if described is not None:
        structure, numbers = described
        fields = {
            field: numbers[field] if field in numbers else addresses[field]
            for field in structure.names
        }
        parts[structure.name] = structure.filled(fields)
    staging = stream.staging(size)
    for name, part in parts.items():
        if part.nbytes:
            flat = staging[offsets[name] : offsets[name] + part.nbytes]
            flat[:] = part.reshape(-1).view(np.uint8)
    stream.send(memory.address, staging)
    return addresses, memory
