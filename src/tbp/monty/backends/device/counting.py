# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Counts what is asked of a device, whatever the device is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Callable

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.stream import Memory, Stream

__all__ = ["CountingStream", "Moved"]


@dataclass
class Moved:
    """How many bytes went to a device and came back."""

    to_device: int = 0
    from_device: int = 0


class CountingStream:
    """A stream, and counts of its launches, bytes and memory.

    Attributes:
        counted: The stream.
        moved: The bytes sent and returned.
        launched: How often each kernel was launched.
        used: The bytes that somebody has.
        used_for: The same by what they are for.
        peak: The most of them so far.
        copies: How many times over bytes and memory count from now on.
    """

    def __init__(self, counted: Stream) -> None:
        self.counted = counted
        self.where = counted.where
        self.real = counted.real
        self.moved = Moved()
        self.launched: Counter[str] = Counter()
        self.used = self.peak = 0
        self.used_for: Counter[str] = Counter()
        self.copies = 1

    def allocate(self, nbytes: int, what: str) -> Memory:
        use = what.partition(" of ")[0]
        memory = _CountedMemory(self.counted.allocate(nbytes, what), self, use)
        self.peak = max(self.peak, self.used)
        return memory

    def pooled(self) -> int:
        return self.counted.pooled()

    def send(self, address: int, data: bytes) -> None:
        self.moved.to_device += len(data) * self.copies
        self.counted.send(address, data)

    def fetch(self, address: int, nbytes: int) -> npt.NDArray[np.uint8]:
        self.moved.from_device += nbytes * self.copies
        return self.counted.fetch(address, nbytes)

    def launch(self, kernel: str, blocks: int, threads: int, *arguments: int) -> None:
        self.launched[kernel] += blocks > 0
        self.counted.launch(kernel, blocks, threads, *arguments)

    def wait(self, about: Callable[[], str] | None = None) -> None:
        self.counted.wait(about)

    def close(self) -> None:
        self.counted.close()


class _CountedMemory:
    def __init__(self, memory: Memory, stream: CountingStream, use: str) -> None:
        self.address = memory.address
        self.nbytes = memory.nbytes
        self._memory = memory  # keeps it
        self._stream = stream
        self._counted = memory.nbytes * stream.copies
        self._use = use
        stream.used += self._counted
        stream.used_for[use] += self._counted

    def __del__(self) -> None:
        self._stream.used -= self._counted
        self._stream.used_for[self._use] -= self._counted
