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
    # All of a type lie next to each other: numpy then writes them in one call.
    offsets: dict[str, int] = {}
    integers: list[npt.NDArray] = []
    floats: dict[str, npt.NDArray] = {}
    end = 0 if described is None else 8 * len(described[0].names)
    for name, values in arrays.items():
        array = np.asarray(values)
        if array.dtype.kind == "f":
            floats[name] = array
            continue
        integers.append(array)
        offsets[name] = end
        end += 8 * array.size
    integer_bytes, itemsize = end, stream.real.itemsize
    for name, array in floats.items():
        offsets[name] = end
        end += itemsize * array.size
    if memory is None or memory.nbytes < end:
        # A power of two, so that what grows is rarely allocated again.
        nbytes = max(4096, 1 << (end - 1).bit_length())
        memory = stream.allocate(nbytes, "the input of a step")
    start = memory.address
    addresses = {name: start + offset for name, offset in offsets.items()}
    if described is not None:
        structure, numbers = described
        addresses[structure.name] = start
        fields = {
            field: numbers[field] if field in numbers else addresses[field]
            for field in structure.names
        }
        integers.insert(0, structure.filled(fields))
    staging = stream.staging(end)
    if integers:
        there = staging[:integer_bytes].view(np.int64)
        np.concatenate(integers, axis=None, out=there)
    if floats:
        there = staging[integer_bytes:].view(stream.real)
        np.concatenate([*floats.values()], axis=None, out=there)
    stream.send(memory.address, staging)
    return addresses, memory
