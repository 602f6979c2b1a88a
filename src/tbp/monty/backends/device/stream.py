# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a device must be able to do."""

from __future__ import annotations

from typing import Callable, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["DeviceHangs", "Memory", "Stream", "fetched"]


class DeviceHangs(RuntimeError):
    """A launch does not come to an end."""


class Memory(Protocol):
    """Some bytes on a device, freed when nobody refers to them."""

    address: int
    nbytes: int


class Stream(Protocol):
    """Transfers and launches that are done one after the other.

    Nothing but `wait` waits for the device.
    """

    where: str
    """Where its memory is: `device` and a number."""
    real: np.dtype
    """The floating-point type of the device's columns."""

    def allocate(self, nbytes: int, what: str) -> Memory:
        """Return memory, in which there may be anything.

        Args:
            nbytes: How much.
            what: What it is for, to be named if there is not enough.
        """
        ...

    def pooled(self) -> int:
        """Return how much memory is kept for the next who allocate some."""
        ...

    def send(self, address: int, data: bytes) -> None:
        """Copy bytes to the device."""
        ...

    def fetch(self, address: int, nbytes: int) -> npt.NDArray[np.uint8]:
        """Return bytes that are there after the next `wait`, until what comes then."""
        ...

    def launch(self, kernel: str, blocks: int, threads: int, *arguments: int) -> None:
        """Run a kernel; nothing if there are no blocks."""
        ...

    def wait(self, about: Callable[[], str] | None = None) -> None:
        """Return when everything is done.

        Args:
            about: Returns what it is done for, to be named if it fails.
        """
        ...

    def close(self) -> None:
        """Free everything."""
        ...


def fetched(
    stream: Stream,
    address: int,
    shape: tuple[int, int],
    dtype: np.dtype,
    pitch: int = 0,
    about: Callable[[], str] | None = None,
) -> npt.NDArray:
    """Wait, and return a copy of rows that are on a device.

    Args:
        stream: The device.
        address: Where the first row is.
        shape: How many rows there are, and of how many numbers.
        dtype: What numbers.
        pitch: How many bytes the rows are apart.
        about: As for `wait`.
    """
    rows, columns = shape
    nbytes = columns * dtype.itemsize
    each = [stream.fetch(address + i * pitch, nbytes) for i in range(rows)]
    stream.wait(about)
    return np.concatenate(each).view(dtype).reshape(shape)
