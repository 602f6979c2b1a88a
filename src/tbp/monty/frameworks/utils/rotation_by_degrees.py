# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A rotation by three angles, for the pose vectors of one percept."""

from __future__ import annotations

from math import cos, inf, radians, sin

import numpy as np
import numpy.typing as npt
import scipy
from scipy.spatial.transform import Rotation

__all__ = ["RotationByDegrees"]

_IS_COMPARED = tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17)
"""Earlier releases may add in another order."""

_LEAST = 1e-100
"""The product of three numbers that are not less is not zero."""


class RotationByDegrees:
    """A rotation about x, then y, then z, for three vectors."""

    def __init__(self, angles: npt.NDArray[np.float64]) -> None:
        """Keep the angles.

        Args:
            angles: Three angles in degrees.
        """
        self._angles = angles

    def apply(self, vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return what a rotation of scipy returns, without making one.

        Args:
            vectors: Three vectors, or anything that scipy rotates.
        """
        halves = [radians(angle) / 2 for angle in self._angles.tolist()]
        if not (
            _IS_COMPARED
            and type(vectors) is np.ndarray
            and vectors.dtype == np.float64
            and vectors.shape == (3, 3)
            # The signs of zeros are scipy's to decide, and so is what is not a number.
            and all(_LEAST < abs(half) < inf for half in halves)
        ):
            rotation = Rotation.from_euler("xyz", self._angles, degrees=True)
            return rotation.apply(vectors)
        return (_matrix(*halves) @ vectors.T).T


def _matrix(about_x: float, about_y: float, about_z: float) -> npt.NDArray[np.float64]:
    """Return the matrix that scipy makes of halves of angles, by way of a quaternion.

    Python's floats round as those of scipy do. Their sine and cosine are those of the C
    library, as there; numpy has its own.
    """
    # About x, then about y. Products with zero are left out.
    sin_x, cos_x, sin_y, cos_y = sin(about_x), cos(about_x), sin(about_y), cos(about_y)
    x, y, z, w = cos_y * sin_x, sin_y * cos_x, -sin_y * sin_x, cos_y * cos_x
    # Then about z.
    sin_z, cos_z = sin(about_z), cos(about_z)
    x, y = cos_z * x - sin_z * y, cos_z * y + sin_z * x
    z, w = cos_z * z + sin_z * w, cos_z * w - sin_z * z
    xx, yy, zz, ww = x * x, y * y, z * z, w * w
    xy, xz, xw, yz, yw, zw = x * y, x * z, x * w, y * z, y * w, z * w
    return np.array(
        [
            [xx - yy - zz + ww, 2 * (xy - zw), 2 * (xz + yw)],
            [2 * (xy + zw), -xx + yy - zz + ww, 2 * (yz - xw)],
            [2 * (xz - yw), 2 * (yz + xw), -xx - yy + zz + ww],
        ]
    )
