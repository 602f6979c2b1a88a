# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Displaces hypotheses on a device, without an update of their evidence."""

from __future__ import annotations

import itertools
import operator
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.device.hypotheses import DeviceHypothesisTable
from tbp.monty.backends.device.layout import UPDATE_THREADS
from tbp.monty.backends.device.stream import Stream

__all__ = ["arrays_of", "launch_displace"]

_LEAST_ROOM = 64
"""Room for displacements: a parcel of the same size is sent faster."""


def arrays_of(
    moves: Sequence[Sequence[npt.NDArray[np.float64]]],
) -> dict[str, npt.ArrayLike]:
    """Return what the kernel takes of displacements.

    Args:
        moves: The displacements of each segment, one of shape (3,) after another.
    """
    # The graphs of a learning module share theirs, which are sent once.
    each = {id(of_segment): of_segment for of_segment in moves}
    displacements = [*itertools.chain.from_iterable(each.values())]
    ends = dict(zip(each, itertools.accumulate(map(len, each.values())), strict=True))
    move_ends = [ends[id(of_segment)] for of_segment in moves]
    count = len(displacements)
    room = max(_LEAST_ROOM, 1 << (count - 1).bit_length())
    return dict(
        move_starts=[*map(operator.sub, move_ends, map(len, moves))],
        move_ends=move_ends,
        moves=np.concatenate([*displacements, np.zeros(3 * (room - count))]),
    )


def launch_displace(
    stream: Stream,
    table: DeviceHypothesisTable,
    blocks: int,
    addresses: Mapping[str, Any],
    fused: bool,
) -> None:
    """Displace hypotheses.

    Args:
        stream: What does the work.
        table: The hypotheses.
        blocks: How many blocks they are divided into.
        addresses: Where the blocks, the segments and the displacements are.
        fused: How rotations are rounded.
    """
    names = (
        *("block_owners", "block_firsts", "row_starts", "row_counts", "sides"),
        *("move_starts", "move_ends", "moves"),
    )
    arguments = [addresses[name] for name in names]
    stream.launch(
        "displace", blocks, UPDATE_THREADS, table.address, *arguments, int(fused)
    )
