# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
"""Rotations of poses that are asked for again."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from tbp.monty.geometry import Rotation

__all__ = ["rotation_of"]


def rotation_of(pose: npt.ArrayLike) -> Rotation:
    """Return the rotation of a pose: the same object for the same pose.

    Args:
        pose: The pose, as a rotation matrix.
    """
    return _rotation_of_bytes(np.asarray(pose, np.float64).tobytes())


# By their bytes: 0.0 and -0.0 are equal, but may give different rotations. A learning
# module asks for the most likely poses of its objects, step after step.
@functools.lru_cache(maxsize=256)
def _rotation_of_bytes(pose: bytes) -> Rotation:
    return Rotation.from_matrix(np.frombuffer(pose).reshape(3, 3))
