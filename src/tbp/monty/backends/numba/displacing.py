# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Displaces hypotheses, compiled: as in `tables.displacing`, four at a time."""

from __future__ import annotations

import numpy as np

from tbp.monty.backends.numba.compiling import called, inlined, launched
from tbp.monty.backends.numba.rounding import dot
from tbp.monty.backends.numba.simd import columns_of, four_from, number_in
from tbp.monty.backends.numba.threads import for_each
from tbp.monty.backends.numpy.rounding import numpy_fuses_dots
from tbp.monty.backends.tables.blocks import make_blocks, starts_of
from tbp.monty.backends.tables.displacing import Moves
from tbp.monty.backends.tables.hypotheses import HypothesisTable

__all__ = ["displace", "moved_locations", "poses_of", "rotated", "write_locations"]


def displace(table: HypothesisTable, moves: Moves) -> None:
    """Displace hypotheses, without an update of their evidence.

    Args:
        table: The hypotheses.
        moves: Which of them move, and how.
    """
    segments = np.fromiter(moves, np.int64, len(moves))
    blocks = make_blocks(table.starts[segments], table.counts[segments])
    if len(blocks.owners) == 0:
        return
    _displace(
        numpy_fuses_dots(),
        blocks,
        starts_of([len(of_segment) for of_segment in moves.values()]),
        np.array([one for of_segment in moves.values() for one in of_segment], float),
        table.locations.reshape(-1),
        table.poses.reshape(-1),
    )


@launched
def _displace(fused, blocks, move_starts, moves, locations, poses):
    for_each(
        _displace_block,
        len(blocks.owners),
        (fused, blocks, move_starts, moves, locations, poses),
        20 * blocks.offsets[-1],
    )


@called
def _displace_block(block, fused, blocks, move_starts, moves, locations, poses):
    segment = blocks.owners[block]
    stop = blocks.stops[block]
    for row in range(blocks.starts[block], stop, 4):
        rows = four_from(row, stop - 1)
        for i in range(move_starts[segment], move_starts[segment + 1]):
            move = True, moves[i, 0], moves[i, 1], moves[i, 2]
            moved = moved_locations(fused, locations, poses, rows, move)
            write_locations(locations, rows, moved)


@inlined
def moved_locations(fused, locations, poses, rows, move):
    """Return where the hypotheses of four rows are after a displacement.

    `move` has whether they are displaced, and the three coordinates of that.
    """
    x, y = columns_of(locations, 3, 0, rows)
    y, z = columns_of(locations, 3, 1, rows)
    if not move[0]:
        return x, y, z
    by = rotated(fused, poses_of(poses, rows), (move[1], move[2], move[3]))
    return x + by[0], y + by[1], z + by[2]


@inlined
def write_locations(locations, rows, places):
    """Write the locations of four rows."""
    for lane in range(4):
        first = np.uint64(3) * rows[lane]
        locations[first] = number_in(places[0], lane)
        locations[first + np.uint64(1)] = number_in(places[1], lane)
        locations[first + np.uint64(2)] = number_in(places[2], lane)


@inlined
def poses_of(poses, rows):
    """Return the rotations of four rows, by row of the matrix."""
    xx, xy = columns_of(poses, 9, 0, rows)
    xz, yx = columns_of(poses, 9, 2, rows)
    yy, yz = columns_of(poses, 9, 4, rows)
    zx, zy = columns_of(poses, 9, 6, rows)
    zy, zz = columns_of(poses, 9, 7, rows)
    return (xx, xy, xz), (yx, yy, yz), (zx, zy, zz)


@inlined
def rotated(fused, poses, vector):
    return (
        dot(fused, poses[0], vector),
        dot(fused, poses[1], vector),
        dot(fused, poses[2], vector),
    )
