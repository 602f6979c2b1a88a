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

__all__ = ["rotation_of_matrix"]

_CAN_SKIP_CHECKS = tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17)

_SURELY = 5e-13
"""scipy takes a matrix as it is if its rows are orthogonal within twice as much."""


def rotation_of_matrix(matrix: npt.ArrayLike) -> Rotation:
    """Return what `Rotation.from_matrix` returns, sooner for one matrix.

    Args:
        matrix: A matrix, or anything that `from_matrix` takes.
    """
    options: dict[str, Any] = {}
    if (
        _CAN_SKIP_CHECKS
        and isinstance(matrix, np.ndarray)
        and matrix.shape == (3, 3)
        and matrix.dtype == np.float64
        and _is_surely_rotation(matrix.tolist())
    ):
        options["assume_valid"] = True
    return Rotation.from_matrix(matrix, **options)


def _is_surely_rotation(rows: list[list[float]]) -> bool:
    (a, b, c), (d, e, f), (g, h, i) = rows
    return (
        abs(a * a + b * b + c * c - 1) < _SURELY
        and abs(d * d + e * e + f * f - 1) < _SURELY
        and abs(g * g + h * h + i * i - 1) < _SURELY
        and abs(a * d + b * e + c * f) < _SURELY
        and abs(a * g + b * h + c * i) < _SURELY
        and abs(d * g + e * h + f * i) < _SURELY
        and a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g) > 0
    )
