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

from typing import Any, Mapping, NamedTuple, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.stream import Memory, Stream
from tbp.monty.backends.device.structures import Structure

__all__ = ["Described", "Parcel"]

Described = Tuple[Structure, Mapping[str, Any]]
"""A structure that points to arrays by the names of its fields; and its other fields,
which are numbers, or addresses of what is elsewhere."""


class _Contents(NamedTuple):
    """What a parcel holds, but for the values."""

    names: Sequence[str]
    dtypes: Sequence[np.dtype]
    sizes: Sequence[int]
    described: Described | None


class _Layout(NamedTuple):
    """Where the contents of a parcel are.

    Attributes:
        contents: The contents.
        order: The numbers of the arrays in their order; integers come first.
        converted: The numbers of those that have another type on the device, and it.
        header: The structure that is sent with them.
        addresses: Where all are.
    """

    contents: _Contents
    order: Sequence[int]
    converted: Sequence[tuple[int, np.dtype]]
    header: bytes
    addresses: Mapping[str, int]


class Parcel:
    """Arrays that are sent to a device in one transfer, on one step after the other.

    Floats are sent in the device's precision, everything else as 64-bit integers.

    Attributes:
        memory: Where they are sent to, as soon as it is known how many there are.
    """

    def __init__(self, stream: Stream) -> None:
        self.memory: Memory | None = None
        self._stream = stream
        self._layout: _Layout | None = None

    def send(
        self, arrays: Mapping[str, npt.ArrayLike], described: Described | None = None
    ) -> Mapping[str, int]:
        """Send arrays in place of those that were sent before.

        Args:
            arrays: The arrays, by name.
            described: A structure to send with them, by its own name.

        Returns:
            The address of each by its name.
        """
        layout = self._layout
        values: list[Any] = [*map(np.ascontiguousarray, arrays.values())]
        dtypes, sizes = [one.dtype for one in values], [one.size for one in values]
        contents = _Contents([*arrays], dtypes, sizes, described)
        if layout is None or layout.contents != contents:
            layout = self._layout = self._laid_out(contents)
        for number, dtype in layout.converted:
            values[number] = values[number].astype(dtype)
        # Of a few small arrays, Python joins the bytes faster than numpy.
        data = b"".join([layout.header, *map(values.__getitem__, layout.order)])
        assert self.memory is not None
        self._stream.send(self.memory.address, data)
        return layout.addresses

    def _laid_out(self, contents: _Contents) -> _Layout:
        names, dtypes, sizes, described = contents
        are_floats = [dtype.kind == "f" for dtype in dtypes]
        types = [self._stream.real if one else np.dtype(np.int64) for one in are_floats]
        order = sorted(range(len(names)), key=are_floats.__getitem__)
        offsets: dict[str, int] = {}
        end = 0 if described is None else 8 * len(described[0].names)
        for number in order:
            offsets[names[number]] = end
            end += types[number].itemsize * sizes[number]
        if self.memory is None or self.memory.nbytes < end:
            # A power of two, so that what grows is rarely allocated again.
            nbytes = max(4096, 1 << (end - 1).bit_length())
            self.memory = self._stream.allocate(nbytes, "the input of a step")
        start = self.memory.address
        addresses = {name: start + offset for name, offset in offsets.items()}
        header = b""
        if described is not None:
            structure, numbers = described
            addresses[structure.name] = start
            fields = {
                field: numbers[field] if field in numbers else addresses[field]
                for field in structure.names
            }
            header = structure.filled(fields).tobytes()
        converted = [
            (number, dtype)
            for number, dtype in enumerate(types)
            if dtype != dtypes[number]
        ]
        return _Layout(contents, order, converted, header, addresses)
