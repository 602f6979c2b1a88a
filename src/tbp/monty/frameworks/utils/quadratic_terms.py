# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The matrices of a quadratic regression."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["quadratic_terms", "scaled_rows"]


def quadratic_terms(
    u: npt.NDArray[np.float64], v: npt.NDArray[np.float64], with_constant: bool
) -> npt.NDArray[np.float64]:
    """Return the terms of a quadratic function of u and v, one row per point.

    Args:
        u: The first coordinates of n points.
        v: Their second coordinates.
        with_constant: Whether there is a constant term, in the last column.

    Returns:
        An array of shape (n, 5), or (n, 6) with a constant term: the square of u, that
        of v, their product, u and v.
    """
    terms = np.empty((len(u), 6 if with_constant else 5))
    np.multiply(u, u, out=terms[:, 0])
    np.multiply(v, v, out=terms[:, 1])
    np.multiply(u, v, out=terms[:, 2])
    terms[:, 3] = u
    terms[:, 4] = v
    if with_constant:
        terms[:, 5] = 1.0
    return terms


def scaled_rows(
    weights: npt.NDArray[np.float64], rows: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return each row times its weight.

    Broadcasting would multiply row by row. There are few columns, so it takes less time
    to multiply them one by one.

    Args:
        weights: The weights, of shape (n, 1).
        rows: The rows, of shape (n, m).
    """
    scaled = np.empty(rows.shape, dtype=np.result_type(weights, rows))
    for column in range(rows.shape[1]):
        np.multiply(weights[:, 0], rows[:, column], out=scaled[:, column])
    return scaled
