# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Inverse rotations, made of quaternions."""

from __future__ import annotations

import numpy as np
import scipy
from scipy.spatial.transform import Rotation

from tbp.monty.frameworks.utils.rotation_of_matrix import rotation_of_quaternion

__all__ = ["inverse_rotation"]

_ONLY_NEGATES = tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 14)
"""Earlier releases normalise the inverse again, or negate its real part."""

_SIGNS = np.array([-1.0, -1.0, -1.0, 1.0])


def inverse_rotation(rotation: Rotation) -> Rotation:
    """Return what `rotation.inv()` returns, faster for one rotation.

    Args:
        rotation: One rotation, or several.
    """
    if not (_ONLY_NEGATES and rotation.__class__ is Rotation):
        return rotation.inv()
    # What a rotation is pickled as.
    quaternion, is_single = rotation.__getstate__()
    if not (is_single and type(quaternion) is np.ndarray):
        return rotation.inv()
    return rotation_of_quaternion(quaternion * _SIGNS)
