# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Displacing hypotheses without testing them, compiled."""

from __future__ import annotations

from typing import Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numba_kernel import kernels
from tbp.monty.backends.packing import make_blocks
from tbp.monty.backends.rounding import numpy_fuses_dots
from tbp.monty.backends.tables import HypothesisTable

__all__ = ["displace"]


def displace(
    table: HypothesisTable,
    segments: Sequence[int],
    displacements: npt.ArrayLike,
    fused: bool | None = None,
) -> None:
    """Move hypotheses with the sensor, when nothing is sensed that could test them.

    Args:
        table: The hypotheses.
        segments: The segments to displace.
        displacements: How the sensor has moved, for each of these, shape (n, 3).
        fused: How rotations are rounded. Defaults to how numpy does it here.
    """
    index = np.asarray(segments, dtype=np.int64)
    blocks = make_blocks(table.starts[index], table.counts[index])
    if len(blocks.owners):
        kernels.displace(
            numpy_fuses_dots() if fused is None else fused,
            blocks,
            np.array(displacements, dtype=np.float64).reshape(-1, 3),
            table.locations,
            table.poses,
        )
