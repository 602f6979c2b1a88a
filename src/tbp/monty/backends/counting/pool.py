# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The memory that a GPU's pool takes, without a GPU."""

from __future__ import annotations

__all__ = ["UNIT", "CountingPool", "PoolMemory"]

UNIT = 512
"""CuPy's pool hands out multiples of so many bytes."""


class _Chunk:
    """A part of what was taken from the device at once."""

    def __init__(self, size: int, before: _Chunk | None = None) -> None:
        self.size = size
        self.is_free = False
        self.before = before
        self.after: _Chunk | None = None


class PoolMemory:
    """Bytes that exist only as a number; they go back when nobody refers to them."""

    def __init__(self, pool: CountingPool, chunk: _Chunk, nbytes: int) -> None:
        self._pool = pool
        self._chunk = chunk
        # No two are alike: callers tell memory apart by its address.
        self.address = id(self)
        self.nbytes = nbytes

    def __del__(self) -> None:
        self._pool.give_back(self._chunk)


class CountingPool:
    """Takes and keeps memory as CuPy's pool does.

    The smallest free part that is large enough is divided; only without one is memory
    taken from the device. What is given back joins free neighbours, and stays.

    Attributes:
        total: The bytes taken from the device.
        used: Those of them that somebody has.
    """

    def __init__(self) -> None:
        self.total = 0
        self.used = 0
        self._free: set[_Chunk] = set()

    def allocate(self, nbytes: int) -> PoolMemory:
        size = max(-(-nbytes // UNIT), 1) * UNIT
        large_enough = (one for one in self._free if one.size >= size)
        chunk = min(large_enough, key=lambda one: one.size, default=None)
        if chunk is None:
            self.total += size
            chunk = _Chunk(size)
        else:
            self._free.remove(chunk)
            chunk.is_free = False
            self._split(chunk, size)
        self.used += size
        return PoolMemory(self, chunk, nbytes)

    def give_back(self, chunk: _Chunk) -> None:
        self.used -= chunk.size
        chunk.is_free = True
        for neighbour in (chunk.after, chunk.before):
            if neighbour is not None and neighbour.is_free:
                self._free.remove(neighbour)
                first = chunk if neighbour is chunk.after else neighbour
                chunk = self._join(first)
        self._free.add(chunk)

    def _split(self, chunk: _Chunk, size: int) -> None:
        if chunk.size == size:
            return
        rest = _Chunk(chunk.size - size, before=chunk)
        rest.is_free = True
        rest.after = chunk.after
        if rest.after is not None:
            rest.after.before = rest
        chunk.size, chunk.after = size, rest
        self._free.add(rest)

    def _join(self, first: _Chunk) -> _Chunk:
        """Join a free chunk with the one after it."""
        second = first.after
        assert second is not None
        first.size += second.size
        first.after = second.after
        if first.after is not None:
            first.after.before = first
        return first
