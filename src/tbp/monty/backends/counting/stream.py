# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A device that is not there: it counts what it is asked to do."""

from __future__ import annotations

from collections import Counter, deque
from typing import Callable

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.counting.pool import CountingPool, PoolMemory
from tbp.monty.backends.device.stream import Moved

__all__ = ["CountingStream"]


class CountingStream:
    """Counts launches, bytes and memory.

    Attributes:
        where: Where its memory would be.
        real: The floating-point type of the device's columns.
        moved: The bytes sent and returned.
        launched: How often each kernel was launched.
        peak: The most bytes that the pool had taken.
        pool: The memory.
        copies: How many times over bytes and memory count from now on.
        answers: What the next reads return, in turn; others return zeros.
    """

    where = "device 0"

    def __init__(self, real: npt.DTypeLike = np.float64) -> None:
        self.real = np.dtype(real)
        self.moved = Moved()
        self.launched: Counter[str] = Counter()
        self.peak = 0
        self.pool = CountingPool()
        self.copies = 1
        self.answers: deque[npt.NDArray] = deque()

    def allocate(self, nbytes: int, what: str) -> PoolMemory:  # noqa: ARG002
        memory = self.pool.allocate(nbytes * self.copies)
        self.peak = max(self.peak, self.pool.total)
        return memory

    def pooled(self) -> int:
        return self.pool.total - self.pool.used

    def send(self, address: int, data: bytes) -> None:  # noqa: ARG002
        self.moved.to_device += len(data) * self.copies

    def write(self, address: int, pitch: int, rows: npt.NDArray) -> None:  # noqa: ARG002
        self.moved.to_device += rows.nbytes * self.copies

    def fetch(self, address: int, nbytes: int) -> npt.NDArray[np.uint8]:  # noqa: ARG002
        self.moved.from_device += nbytes * self.copies
        return np.zeros(nbytes, dtype=np.uint8)

    def read(
        self,
        address: int,  # noqa: ARG002
        pitch: int,  # noqa: ARG002
        shape: tuple[int, int],
        dtype: np.dtype,
        about: Callable[[], str] | None = None,  # noqa: ARG002
    ) -> npt.NDArray:
        rows = np.zeros(shape, dtype=dtype)
        self.moved.from_device += rows.nbytes * self.copies
        if self.answers:
            rows[:] = self.answers.popleft()
        return rows

    def launch(
        self,
        kernel: str,
        blocks: int,
        threads: int,  # noqa: ARG002
        *arguments: int,  # noqa: ARG002
    ) -> None:
        self.launched[kernel] += blocks > 0

    def wait(self, about: Callable[[], str] | None = None) -> None:
        """Return at once: there is nothing to wait for."""

    def close(self) -> None:
        """Keep the counts."""
