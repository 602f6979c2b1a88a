# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Displaces hypotheses, compiled."""

from __future__ import annotations

from typing import Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numba.compiling import called, launched
from tbp.monty.backends.numba.rounding import rotated
from tbp.monty.backends.numpy.rounding import numpy_fuses_dots
from tbp.monty.backends.tables.hypotheses import HypothesisTable

__all__ = ["displace", "moved_location"]


def displace(
    table: HypothesisTable,
    segments: Sequence[int],
    displacement: npt.NDArray[np.float64],
) -> None:
    """Displace hypotheses, each in its own pose, without an update of their evidence.

    Args:
        table: The hypotheses.
        segments: Which of them.
        displacement: How the sensor has moved, shape (3,).
    """
    index = np.asarray(segments, dtype=np.int64)
    if table.counts[index].sum() == 0:
        return
    x, y, z = np.asarray(displacement, dtype=np.float64).tolist()
    starts, counts = table.starts[index], table.counts[index]
    arrays = table.locations, table.poses
    _displace(numpy_fuses_dots(), starts, counts, x, y, z, *arrays)


@launched()
def _displace(fused, starts, counts, x, y, z, locations, poses):
    for segment in range(len(starts)):
        for row in range(starts[segment], starts[segment] + counts[segment]):
            at = moved_location(fused, locations, poses, row, x, y, z)
            locations[row, 0] = at[0]
            locations[row, 1] = at[1]
            locations[row, 2] = at[2]


@called
def moved_location(fused, locations, poses, row, x, y, z):
    """Return where a hypothesis is after a displacement by `x`, `y`, `z`."""
    by = rotated(fused, poses, row, x, y, z)
    return (
        locations[row, 0] + by[0],
        locations[row, 1] + by[1],
        locations[row, 2] + by[2],
    )
