# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Copies rows of a column on a device."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.constants import UPDATE_THREADS
from tbp.monty.backends.device.parcel import Parcel
from tbp.monty.backends.device.stream import Stream
from tbp.monty.backends.tables.blocks import owners_and_firsts

__all__ = ["Column", "Stretches", "copy_rows"]


class Column(NamedTuple):
    """A column on a device.

    Attributes:
        components: How many numbers a row has.
        dtype: What numbers.
        bit: Which of `SIDES` tells where it is.
    """

    components: int
    dtype: np.dtype
    bit: int


class Stretches(NamedTuple):
    """Rows to copy, stretch by stretch.

    Attributes:
        sides: Which sides of columns each stretch uses.
        counts: How many rows it has.
        from_starts: Where it starts.
        to_starts: Where it is to start.
    """

    sides: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    from_starts: npt.NDArray[np.int64]
    to_starts: npt.NDArray[np.int64]

    def on_side(self, bit: int, side: int) -> Stretches:
        """Return those that use a side, told by a bit."""
        is_here = ((self.sides & bit) != 0) == (side == 1)
        return Stretches(*(values[is_here] for values in self))


def copy_rows(
    stream: Stream,
    column: Column,
    stretches: Stretches,
    to: tuple[int, int],
    source: tuple[int, int],
) -> None:
    """Copy stretches of rows.

    Args:
        stream: What does the work.
        column: What a row has.
        stretches: The stretches.
        to: The address of the column to copy to, and its capacity.
        source: The same of the column to copy from.
    """
    owners, firsts = owners_and_firsts(stretches.counts, UPDATE_THREADS)
    if not len(owners):
        return
    arrays = dict(
        owners=owners,
        firsts=firsts,
        to_starts=stretches.to_starts,
        from_starts=stretches.from_starts,
        counts=stretches.counts,
    )
    parcel = Parcel(stream)  # to be kept until the launch
    sent = parcel.send(arrays)
    stream.launch(
        f"copy_rows_{column.dtype.itemsize}",
        len(owners),
        UPDATE_THREADS,
        to[0],
        source[0],
        to[1],
        source[1],
        column.components,
        *(sent[name] for name in arrays),
    )
