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

import itertools
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
    """Where the contents of a parcel are; integers come first."""

    contents: _Contents
    are_floats: Sequence[bool]
    are_integers: Sequence[bool]
    integer_bytes: int
    nbytes: int
    addresses: Mapping[str, int]
    header: Sequence[npt.NDArray[np.int64]]


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
        stream, layout = self._stream, self._layout
        values = [*map(np.asarray, arrays.values())]
        dtypes, sizes = [one.dtype for one in values], [one.size for one in values]
        contents = _Contents([*arrays], dtypes, sizes, described)
        if layout is None or layout.contents != contents:
            layout = self._layout = self._laid_out(contents)
        integers = [*layout.header, *itertools.compress(values, layout.are_integers)]
        floats = [*itertools.compress(values, layout.are_floats)]
        staging = stream.staging(layout.nbytes)
        # All of a type lie next to each other: numpy writes them in one call.
        if integers:
            there = staging[: layout.integer_bytes].view(np.int64)
            np.concatenate(integers, axis=None, out=there)
        if floats:
            there = staging[layout.integer_bytes :].view(stream.real)
            np.concatenate(floats, axis=None, out=there)
        assert self.memory is not None
        stream.send(self.memory.address, staging)
        return layout.addresses

    def _laid_out(self, contents: _Contents) -> _Layout:
        names, dtypes, sizes, described = contents
        are_floats = [dtype.kind == "f" for dtype in dtypes]
        are_integers = [not is_float for is_float in are_floats]
        sized = [*zip(names, sizes, strict=True)]
        offsets: dict[str, int] = {}
        end = 0 if described is None else 8 * len(described[0].names)
        for name, size in itertools.compress(sized, are_integers):
            offsets[name] = end
            end += 8 * size
        integer_bytes = end
        for name, size in itertools.compress(sized, are_floats):
            offsets[name] = end
            end += self._stream.real.itemsize * size
        if self.memory is None or self.memory.nbytes < end:
            # A power of two, so that what grows is rarely allocated again.
            nbytes = max(4096, 1 << (end - 1).bit_length())
            self.memory = self._stream.allocate(nbytes, "the input of a step")
        start = self.memory.address
        addresses = {name: start + offset for name, offset in offsets.items()}
        header = []
        if described is not None:
            structure, numbers = described
            addresses[structure.name] = start
            fields = {
                field: numbers[field] if field in numbers else addresses[field]
                for field in structure.names
            }
            header.append(structure.filled(fields))
        return _Layout(
            contents, are_floats, are_integers, integer_bytes, end, addresses, header
        )
