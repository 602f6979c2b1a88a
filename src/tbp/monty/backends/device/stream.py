# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A queue of work for a device: what tables and kernels need of a GPU.

Tests put a device in its place that runs the same kernels on the CPU.
"""

from __future__ import annotations

from typing import Callable, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["DeviceFault", "DeviceHangs", "Memory", "Stream"]


class DeviceFault(RuntimeError):
    """A launch or a transfer has failed; the GPU cannot be used any more."""


class DeviceHangs(RuntimeError):
    """A launch does not come to an end."""


class Memory(Protocol):
    """Some bytes on a device, freed when nobody refers to them."""

    address: int
    nbytes: int


class Stream(Protocol):
    """Transfers and launches that are done one after the other.

    Nothing but `wait`, and what is said to, waits for the device.
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

    def write(self, address: int, pitch: int, rows: npt.NDArray) -> None:
        """Copy the rows of an array to the device, `pitch` bytes apart."""
        ...

    def fetch(self, address: int, nbytes: int) -> npt.NDArray[np.uint8]:
        """Return bytes that are there after the next `wait`, until the next `fetch`."""
        ...

    def read(
        self,
        address: int,
        pitch: int,
        shape: tuple[int, int],
        dtype: np.dtype,
        about: Callable[[], str] | None = None,
    ) -> npt.NDArray:
        """Return rows that are `pitch` bytes apart, after a `wait`."""
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
