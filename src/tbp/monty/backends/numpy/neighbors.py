# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The nearest nodes of many points."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

__all__ = ["nearest_nodes"]

_TIE = 1.0 + 1e-9
"""Distances with a smaller ratio may differ only by rounding."""

_DISTANCES_AT_A_TIME = 1 << 20
"""Bounds the memory for the distances of points that have ties."""


def nearest_nodes(
    nodes: npt.NDArray[np.float64], points: npt.NDArray[np.float64], count: int
) -> npt.NDArray[np.int_]:
    """Return the nearest nodes of each point; among equally near ones the first.

    Args:
        nodes: Locations of nodes, shape (n, 3).
        points: Shape (m, 3).
        count: How many nodes to return per point; all of them if there are fewer.

    Returns:
        Indices of nodes in no particular order, shape (m, count or n).
    """
    if len(nodes) <= count:
        return np.tile(np.arange(len(nodes)), (len(points), 1))
    # The tree refuses NaN. The caller refuses results that come from NaN.
    distances, nearest = KDTree(nodes).query(np.nan_to_num(points), k=count + 1)
    # Among equally near nodes the tree returns any. If the last node to return is as
    # near as the next one, all distances are compared.
    is_tied = distances[:, count] <= distances[:, count - 1] * _TIE
    nearest = nearest[:, :count]
    nearest[is_tied] = _first_of_nearest(nodes, points[is_tied], count)
    return nearest


def _first_of_nearest(
    nodes: npt.NDArray[np.float64], points: npt.NDArray[np.float64], count: int
) -> npt.NDArray[np.int_]:
    nearest = np.empty((len(points), count), dtype=np.int_)
    size = max(1, _DISTANCES_AT_A_TIME // len(nodes))
    for start in range(0, len(points), size):
        part = slice(start, start + size)
        x, y, z = (nodes[:, i] - points[part, i, np.newaxis] for i in range(3))
        squares = (x * x + y * y) + z * z
        nearest[part] = np.argsort(squares, axis=1, kind="stable")[:, :count]
    return nearest
