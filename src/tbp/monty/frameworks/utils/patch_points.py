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

__all__ = ["points_near_center", "points_on_object"]


def points_near_center(
    point_cloud: npt.NDArray[np.float64],
    center_id: int,
    neighbor_patch_frac: float,
    measure: Callable[..., npt.NDArray[np.float64]],
) -> npt.NDArray[np.float64]:
    """Return the points of a square patch that are near its center and on an object.

    Args:
        point_cloud: The points of the patch, with x, y, z and a semantic ID.
        center_id: The index of the center.
        neighbor_patch_frac: The width of the patch, in distances that are near.
        measure: Returns the distances of all pixels to the center. It is called with
            the number of points, the width of the patch, and the center.

    Returns:
        The points relative to the center, of shape (n, 3).
    """
    near = _near_center(measure, len(point_cloud), center_id, neighbor_patch_frac)
    is_on_object = point_cloud[:, 3].take(near) > 0
    return _around_center(point_cloud, center_id, near[is_on_object])


def points_on_object(
    point_cloud: npt.NDArray[np.float64],
    center_id: int,
    on_object: npt.NDArray[np.bool_],
) -> npt.NDArray[np.float64]:
    """Return the points of a patch that are on an object.

    Args:
        point_cloud: The points of the patch, with x, y and z in the first columns.
        center_id: The index of the center.
        on_object: Whether each point is on an object.

    Returns:
        The points relative to the center, of shape (n, 3).
    """
    # A patch often shows nothing but the object, and then nothing is selected.
    chosen = None if on_object.all() else np.flatnonzero(on_object)
    return _around_center(point_cloud, center_id, chosen)


def _around_center(
    point_cloud: npt.NDArray[np.float64],
    center_id: int,
    chosen: npt.NDArray[np.intp] | None,
) -> npt.NDArray[np.float64]:
    """Return points relative to the center, in rows that are contiguous in memory.

    Args:
        point_cloud: The points of the patch. It is not changed.
        center_id: The index of the center.
        chosen: The indexes of the points to return; None for all of them.
    """
    count = len(point_cloud) if chosen is None else len(chosen)
    points = np.empty((count, 3), dtype=point_cloud.dtype)
    # By columns, because point clouds are often stored by columns.
    for axis in range(3):
        column = point_cloud[:, axis]
        kept = column if chosen is None else column.take(chosen)
        np.subtract(kept, column[center_id], out=points[:, axis])
    return points


@lru_cache(maxsize=16)  # sensors of an agent rarely have more than two resolutions
def _near_center(
    measure: Callable[..., npt.NDArray[np.float64]],
    n_points: int,
    center_id: int,
    neighbor_patch_frac: float,
) -> npt.NDArray[np.intp]:
    """Return which pixels are near the center, in ascending order."""
    width = int(np.sqrt(n_points))
    distances = measure(n_points, width, center_id)
    return np.flatnonzero(distances <= width / neighbor_patch_frac)
