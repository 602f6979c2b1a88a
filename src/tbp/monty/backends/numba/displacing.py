# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Displaces hypotheses, compiled: as in `tables.displacing`."""

from __future__ import annotations

import numpy as np

from tbp.monty.backends.numba.compiling import called, launched
from tbp.monty.backends.numba.rounding import rotated
from tbp.monty.backends.numpy.rounding import numpy_fuses_dots
from tbp.monty.backends.tables.blocks import starts_of
from tbp.monty.backends.tables.displacing import Moves
from tbp.monty.backends.tables.hypotheses import HypothesisTable

__all__ = ["displace", "moved_location"]


def displace(table: HypothesisTable, moves: Moves) -> None:
    """Displace hypotheses, without an update of their evidence.

    Args:
        table: The hypotheses.
        moves: Which of them move, and how.
    """
    segments = np.fromiter(moves, np.int64, len(moves))
    if table.counts[segments].sum() == 0:
        return
    _displace(
        numpy_fuses_dots(),
        table.starts[segments],
        table.counts[segments],
        starts_of([len(of_segment) for of_segment in moves.values()]),
        np.array([one for of_segment in moves.values() for one in of_segment], float),
        table.locations,
        table.poses,
    )


@launched()
def _displace(fused, starts, counts, move_starts, moves, locations, poses):
    for segment in range(len(starts)):
        for row in range(starts[segment], starts[segment] + counts[segment]):
            for i in range(move_starts[segment], move_starts[segment + 1]):
                x, y, z = moved_location(
                    fused, locations, poses, row, moves[i, 0], moves[i, 1], moves[i, 2]
                )
                locations[row, 0] = x
                locations[row, 1] = y
                locations[row, 2] = z


@called
def moved_location(fused, locations, poses, row, x, y, z):
    """Return where a hypothesis is after a displacement by `x`, `y`, `z`."""
    by = rotated(fused, poses, row, x, y, z)
    return (
        locations[row, 0] + by[0],
        locations[row, 1] + by[1],
        locations[row, 2] + by[2],
    )
