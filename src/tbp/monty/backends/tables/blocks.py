# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Rows divided into blocks, for threads to share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = [
    "LARGEST_BLOCK",
    "SMALLEST_BLOCK",
    "Blocks",
    "make_blocks",
    "owners_and_firsts",
    "starts_of",
]

SMALLEST_BLOCK = 128
"""Rows per block: few enough to spread one small graph over the threads."""

LARGEST_BLOCK = 1024
"""Rows per block when there are many: setting up a block takes time."""

BLOCKS = 128
"""Enough to keep the threads of a large machine equally busy."""


class Blocks(NamedTuple):
    """Short ranges of rows, each within one segment, that threads share.

    Attributes:
        owners: What each block belongs to, by its position.
        starts: The first row of each block.
        stops: The row after its last.
        offsets: How many rows the blocks before it have.
    """

    owners: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    stops: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]


def make_blocks(starts: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> Blocks:
    """Divide ranges of rows into blocks that suit the threads of a processor, in order.

    Args:
        starts: Where each range starts.
        counts: How many rows it has.

    Returns:
        The blocks.
    """
    size = min(max(counts.sum() // BLOCKS, SMALLEST_BLOCK), LARGEST_BLOCK)
    owners, firsts = owners_and_firsts(counts, size)
    block_starts = starts[owners] + firsts
    block_stops = np.minimum(block_starts + size, (starts + counts)[owners])
    lengths = block_stops - block_starts
    return Blocks(
        owners=owners,
        starts=block_starts,
        stops=block_stops,
        offsets=np.cumsum(lengths) - lengths,
    )


def owners_and_firsts(
    counts: npt.NDArray[np.int64], size: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return what each block belongs to, and its first row there."""
    per_owner = -(-counts // size)
    owners = np.repeat(np.arange(len(counts)), per_owner)
    first_block = np.cumsum(per_owner) - per_owner
    return owners, size * (np.arange(len(owners)) - first_block[owners])


def starts_of(counts: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return where consecutive ranges start, and where the last one ends."""
    counts = np.asarray(counts, dtype=np.int64)
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    counts.cumsum(out=starts[1:])
    return starts
