# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The points of a patch, relative to its center."""

from __future__ import annotations

from functools import lru_cache
from typing import Callable

import numpy as np
import numpy.typing as npt

__all__ = ["mean_point", "pixels_near_center", "points_around_center"]


@lru_cache(maxsize=16)  # sensors of an agent rarely have more than two resolutions
def pixels_near_center(
    measure: Callable[..., npt.NDArray[np.float64]],
    n_points: int,
    center_id: int,
    neighbor_patch_frac: float,
) -> npt.NDArray[np.intp]:
    """Return which pixels of a square patch are near its center.

    Args:
        measure: Returns the distances of all pixels to the center. It is called with
            the number of points, the width of the patch, and the center.
        n_points: The number of points of the patch.
        center_id: The index of the center.
        neighbor_patch_frac: The width, in distances that are near.

    Returns:
        Their indexes in ascending order. They are not to be written to.
    """
    width = int(np.sqrt(n_points))
    distances = measure(n_points, width, center_id)
    near = np.flatnonzero(distances <= width / neighbor_patch_frac)
    near.flags.writeable = False
    return near


def points_around_center(
    point_cloud: npt.NDArray[np.float64],
    center_id: int,
    chosen: npt.NDArray[np.intp],
) -> npt.NDArray[np.float64]:
    """Return some points of a patch, relative to its center.

    Args:
        point_cloud: The points of the patch, with their x, y and z in the first three
            columns. It is not changed.
        center_id: The index of the center.
        chosen: The indexes of the points to return, each once and in ascending order.

    Returns:
        The points, of shape (n, 3), in rows that are contiguous in memory.
    """
    points = np.empty((len(chosen), 3), dtype=point_cloud.dtype)
    # By columns, because point clouds are often stored by columns.
    for axis in range(3):
        column = point_cloud[:, axis]
        # A patch often shows nothing but the object, and then nothing is selected.
        kept = column if len(chosen) == len(column) else column.take(chosen)
        np.subtract(kept, column[center_id], out=points[:, axis])
    return points


def mean_point(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the mean that `np.mean` returns, faster for points in rows.

    `np.mean` adds row after row, three numbers at a time. Sums of columns that are
    accumulated are added in the same order.

    Args:
        points: The points, of shape (n, 3), at least one.

    Returns:
        The mean, of shape (1, 3).
    """
    return np.add.accumulate(points, axis=0)[-1:] / len(points)
