# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Rotations of matrices, without checks that take longer than the rotation."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy
from scipy.spatial.transform import Rotation

__all__ = ["is_near_rotation", "rotation_of_matrix", "rotation_of_quaternion"]

_CAN_SKIP_CHECKS = tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17)


def rotation_of_matrix(matrix: Any) -> Rotation:
    """Return what `Rotation.from_matrix` returns, faster for one matrix.

    Args:
        matrix: A matrix, or anything that `from_matrix` takes.
    """
    if not (_CAN_SKIP_CHECKS and _is_one_matrix(matrix)):
        return Rotation.from_matrix(matrix)
    is_orthogonal = _is_orthogonal(matrix.tolist())
    if is_orthogonal is None:
        return Rotation.from_matrix(matrix)
    if not is_orthogonal:
        left, _, right = np.linalg.svd(matrix)
        matrix = left @ right
    return Rotation.from_matrix(matrix, assume_valid=True)


def is_near_rotation(matrix: Any) -> bool:
    """Return whether something is one matrix that scipy takes for a rotation.

    False also if it is so near one of scipy's limits that rounding may decide.
    """
    return _is_one_matrix(matrix) and _is_orthogonal(matrix.tolist()) is not None


def rotation_of_quaternion(quaternion: npt.NDArray[np.float64]) -> Rotation:
    """Return the rotation of a quaternion, shape (1, 4), as if it had been pickled.

    To take it out of a stack, or to normalize it again, takes scipy much longer.
    """
    rotation = Rotation.__new__(Rotation)
    rotation.__setstate__((quaternion, True))
    return rotation


def _is_one_matrix(matrix: Any) -> bool:
    return (
        isinstance(matrix, np.ndarray)
        and matrix.shape == (3, 3)
        and matrix.dtype == np.float64
    )


def _is_orthogonal(rows: list[list[float]]) -> bool | None:
    """Return whether scipy uses a matrix as it is.

    Args:
        rows: The matrix.

    Returns:
        False if it uses the nearest orthogonal matrix; None if rounding may decide, or
        if the matrix is far from a rotation.
    """
    (a, b, c), (d, e, f), (g, h, i) = rows
    u, v, w = a * a + b * b + c * c, d * d + e * e + f * f, g * g + h * h + i * i
    length = max(u, v, w, 2 - u, 2 - v, 2 - w) - 1
    determinant = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
    if not (length < 0.5 and determinant > 0.5):
        return None
    u, v, w = a * d + b * e + c * f, a * g + b * h + c * i, d * g + e * h + f * i
    angle = max(u, v, w, -u, -v, -w)
    # scipy's limits are 1e-5 for lengths and 1e-12 for angles.
    if length > 2e-5 or angle > 2e-12:
        return False
    return True if length < 5e-6 and angle < 5e-13 else None
