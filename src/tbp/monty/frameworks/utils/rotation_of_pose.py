# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The rotations of poses, remembered."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from tbp.monty.geometry import Rotation

__all__ = ["rotation_of_pose"]


def rotation_of_pose(pose: npt.ArrayLike) -> Rotation:
    """Return what `Rotation.from_matrix` returns, kept for the last 1024 poses.

    Args:
        pose: A rotation matrix, shape (3, 3).
    """
    return _rotation(np.asarray(pose, dtype=np.float64).tobytes())


@functools.lru_cache(maxsize=1024)
def _rotation(pose: bytes) -> Rotation:
    return Rotation.from_matrix(np.array(np.frombuffer(pose)).reshape(3, 3))
