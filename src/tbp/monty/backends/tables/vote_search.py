# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Finds the votes that are nearest to hypotheses."""

from __future__ import annotations

from typing import Tuple

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

__all__ = ["Found", "nearest_votes"]

Found = Tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]
"""For each location the distances of the nearest votes, the nearest first, and which
votes these are; infinity and the number of votes where there are not so many. Both have
the shape (locations, count)."""


def nearest_votes(
    locations: npt.NDArray[np.float64],
    votes: npt.NDArray[np.float64],
    count: int,
    reach: float,
) -> Found:
    """Search votes with a tree.

    Args:
        locations: Where the hypotheses are, shape (n, 3).
        votes: Where the votes are, shape (m, 3).
        count: How many votes to look for.
        reach: How far they may be; infinity for all.

    Returns:
        The nearest votes.
    """
    tree = KDTree(votes, leafsize=40)
    return tree.query(locations, k=range(1, count + 1), distance_upper_bound=reach)
