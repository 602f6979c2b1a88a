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
    integers: dict[str, npt.NDArray] = {}
    floats: dict[str, npt.NDArray] = {}
    for name, values in arrays.items():
        array = np.asarray(values)
        (floats if array.dtype.kind == "f" else integers)[name] = array
    if described is not None:
        structure, numbers = described
        integers[structure.name] = np.empty(len(structure.names), dtype=np.int64)
    # All of a type lie next to each other: numpy then writes them in one call.
    integer_bytes = 8 * sum(array.size for array in integers.values())
    float_bytes = stream.real.itemsize * sum(array.size for array in floats.values())
    size = integer_bytes + float_bytes
    if memory is None or memory.nbytes < size:
        # A power of two, so that what grows is rarely allocated again.
        nbytes = max(4096, 1 << (size - 1).bit_length())
        memory = stream.allocate(nbytes, "the input of a step")
    addresses, address = {}, memory.address
    for itemsize, same_type in ((8, integers), (stream.real.itemsize, floats)):
        for name, array in same_type.items():
            addresses[name] = address
            address += itemsize * array.size
    if described is not None:
        fields = {
            field: numbers[field] if field in numbers else addresses[field]
            for field in structure.names
        }
        integers[structure.name] = structure.filled(fields)
    staging = stream.staging(size)
    if integers:
        there = staging[:integer_bytes].view(np.int64)
        np.concatenate([*integers.values()], axis=None, out=there)
    if floats:
        there = staging[integer_bytes:].view(stream.real)
        np.concatenate([*floats.values()], axis=None, out=there)
    stream.send(memory.address, staging)
    return addresses, memory
