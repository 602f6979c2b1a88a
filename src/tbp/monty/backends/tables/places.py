# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Where the nodes in reach of each cell are, laid out for processors.

Only the kernels of the host read them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.tables.cells import CellGrid

__all__ = ["Places", "make_places"]


class Places(NamedTuple):
    """Where the members of the cells of a grid are, in their order.

    Each coordinate by itself: a processor computes with several neighbours at a time.
    """

    member_x: npt.NDArray[np.float64]
    member_y: npt.NDArray[np.float64]
    member_z: npt.NDArray[np.float64]


def make_places(locations: npt.NDArray[np.float64], grid: CellGrid) -> Places:
    """Return where the members of cells are.

    Args:
        locations: Locations of the nodes, shape (n, 3).
        grid: Their cells.
    """
    return Places(*np.ascontiguousarray(locations[grid.members].T))
