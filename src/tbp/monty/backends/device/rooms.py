# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Memory on a device that is kept from step to step, and what is sent there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.constants import (
    COMBINE_THREADS,
    UPDATE_THREADS,
)
from tbp.monty.backends.device.parcel import Described, Parcel
from tbp.monty.backends.device.stream import Memory, Stream
from tbp.monty.backends.tables.blocks import starts_of
from tbp.monty.backends.tables.flags import all_of, any_of
from tbp.monty.backends.tables.held import Held, name_of

__all__ = ["MOST_EMPTY", "Blocks", "Rooms"]

T = TypeVar("T")

MOST_EMPTY = 256
"""How many blocks may have no rows: to launch them takes less time than to divide the
rows again. Of many blocks an eighth may have none."""


@dataclass(frozen=True)
class Blocks:
    """Rows of owners in blocks, on a device.

    Attributes:
        count: How many blocks there are.
        starts: The address of where each owner's blocks start.
        owners: The address of each block's owner.
        firsts: The address of each block's first row.
    """

    count: int
    starts: int
    owners: int
    firsts: int


class _Division(NamedTuple):
    """The blocks that rows were divided into.

    Attributes:
        blocks: The blocks.
        counts: How many rows each owner had.
        most: How many rows each owner's blocks can have.
    """

    blocks: Blocks
    counts: npt.NDArray[np.int64]
    most: npt.NDArray[np.int64]

    def fits(self, counts: npt.NDArray[np.int64], exactly: bool) -> bool:
        """Return whether the blocks have all rows, and few or none have no rows."""
        if len(counts) != len(self.counts):
            return False
        if exactly:
            return all_of(counts == self.counts)
        if any_of(counts > self.most):
            return False
        if self.blocks.count <= MOST_EMPTY or all_of(counts == self.counts):
            return True
        needed = int(_blocks_for(counts).sum())
        return self.blocks.count - needed <= max(MOST_EMPTY, needed // 8)


def _blocks_for(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return -(-counts // UPDATE_THREADS)


class _SentOnce(NamedTuple):
    revision: int
    addresses: Mapping[str, int]


class Rooms:
    """Memory of a stream, by its purpose; it grows when it must.

    Attributes:
        stream: The stream.
    """

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self._memories: dict[str, Memory] = {}
        self._parcels: dict[str, Parcel] = {}
        self._sent_once: dict[str, _SentOnce] = {}
        self._divided: dict[str, _Division] = {}
        self._made: dict[str, tuple[object, Any]] = {}

    @property
    def nbytes(self) -> int:
        """How many bytes there are."""
        return sum(memory.nbytes for _, memory in self._all())

    def held(self) -> Iterator[Held]:
        for what, memory in self._all():
            reason = f"{what}, kept for the next step"
            made_by = name_of(self.room)
            yield Held(self.stream.where, "pool", memory.nbytes, made_by, reason)

    def clear(self) -> None:
        self._memories.clear()
        self._parcels.clear()
        self._sent_once.clear()
        self._divided.clear()
        self._made.clear()

    def room(self, what: str, nbytes: int) -> int:
        """Return the address of memory that is kept for a purpose."""
        memory = self._memories.get(what)
        if memory is None or memory.nbytes < nbytes:
            self._memories.pop(what, None)
            self._made.clear()  # it may have the address
            nbytes = max(256, nbytes + nbytes // 4)
            memory = self._memories[what] = self.stream.allocate(nbytes, what)
        return memory.address

    def made(self, what: str, key: object, make: Callable[[], T]) -> T:
        """Return what was made of rooms before, or make it.

        Args:
            what: What it is for.
            key: What it depends on, besides the addresses of rooms.
            make: Makes it.
        """
        known = self._made.get(what)
        if known is None or known[0] != key:
            known = key, make()  # which may clear `_made`
            self._made[what] = known
        return known[1]

    def send(
        self,
        what: str,
        arrays: Mapping[str, npt.ArrayLike],
        described: Described | None = None,
    ) -> Mapping[str, int]:
        """Send arrays to memory that is kept for a purpose; return the addresses."""
        parcel = self._parcels.get(what)
        if parcel is None:
            parcel = self._parcels[what] = Parcel(self.stream)
        return parcel.send(arrays, described)

    def send_once(
        self,
        what: str,
        revision: int,
        make: Callable[[], Mapping[str, npt.NDArray]],
    ) -> Mapping[str, int]:
        """Send arrays unless those of this revision were sent last.

        Args:
            what: What they are for.
            revision: Changes whenever the arrays do.
            make: Makes them.

        Returns:
            The address of each by its name.
        """
        known = self._sent_once.get(what)
        if known is not None and known.revision == revision:
            return known.addresses
        self._sent_once.pop(what, None)  # not to be used if memory runs out below
        sent = _SentOnce(revision, self.send(what, make()))
        self._sent_once[what] = sent
        return sent.addresses

    def divide(
        self, what: str, counts: npt.NDArray[np.int64], *, exactly: bool = True
    ) -> Blocks:
        """Divide the rows of owners into blocks, unless they are divided so already.

        Args:
            what: What the rows are.
            counts: How many rows each owner has; not to be changed afterwards.
            exactly: Whether each block must have rows. If not, the blocks stay as they
                are while rows become fewer.
        """
        known = self._divided.get(what)
        if known is not None and known.fits(counts, exactly):
            return known.blocks
        self._divided.pop(what, None)  # not to be used if memory runs out below
        block_counts = _blocks_for(counts)
        starts = starts_of(block_counts)
        total = int(starts[-1])
        sent = self.send(f"the starts of {what}", {"starts": starts})
        blocks = Blocks(
            count=total,
            starts=sent["starts"],
            owners=self.room(f"the owners of {what}", 8 * max(1, total)),
            firsts=self.room(f"the first rows of {what}", 8 * max(1, total)),
        )
        self.stream.launch(
            "divide",
            len(counts),
            COMBINE_THREADS,
            blocks.starts,
            blocks.owners,
            blocks.firsts,
        )
        self._divided[what] = _Division(
            blocks, counts, most=block_counts * UPDATE_THREADS
        )
        return blocks

    def _all(self) -> Iterator[tuple[str, Memory]]:
        yield from self._memories.items()
        for what, parcel in self._parcels.items():
            if parcel.memory is not None:
                yield what, parcel.memory
