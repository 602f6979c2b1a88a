# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Eigenvectors and condition numbers of small matrices.

For these, `np.linalg` takes longer to look at its arguments than to compute. Here the
functions that it computes with are called at once, where that is sure to be the same.
They are numpy's own: without them, everything is left to `np.linalg`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["all_real", "condition_number", "eigen"]

_OF_NUMPY: Any = getattr(np.linalg, "_umath_linalg", None)
_EIGEN = getattr(_OF_NUMPY, "eig", None)
# Before numpy 2 there is one for wide matrices and one for all others.
_SINGULAR_VALUES = getattr(_OF_NUMPY, "svd", getattr(_OF_NUMPY, "svd_n", None))


def all_real(numbers: npt.NDArray) -> bool:
    """Return whether no number has an imaginary part.

    Args:
        numbers: The numbers. An array of floats is real as it is.
    """
    return not np.iscomplexobj(numbers) or bool(np.isreal(numbers).all())


def eigen(matrix: npt.NDArray[np.float64]) -> tuple[npt.NDArray, npt.NDArray]:
    """Return what `np.linalg.eig` returns, faster for one matrix with real eigenvalues.

    Args:
        matrix: A matrix, or anything that `eig` takes.

    Returns:
        The eigenvalues and the eigenvectors.
    """
    if _EIGEN is not None and _is_finite_square(matrix):
        values, vectors = _EIGEN(matrix, signature="d->DD")
        # If the search fails they are NaN, which is true: `np.linalg` raises the error.
        if not any(values.imag.tolist()):
            return values.real, vectors.real
    values, vectors = np.linalg.eig(matrix)
    return values, vectors


def condition_number(matrix: npt.NDArray[np.float64]) -> np.float64:
    """Return what `np.linalg.cond` returns, faster for one matrix.

    Args:
        matrix: A matrix, or anything that `cond` takes.
    """
    if _SINGULAR_VALUES is not None and _is_finite_square(matrix):
        values = _SINGULAR_VALUES(matrix, signature="d->d").tolist()
        if values and values[-1] > 0:
            # Python's floats round as numpy's do, and do not warn of an overflow.
            return np.float64(values[0] / values[-1])
    return np.linalg.cond(matrix)


def _is_finite_square(matrix: Any) -> bool:
    return (
        type(matrix) is np.ndarray
        and matrix.dtype.char == "d"
        and matrix.ndim == 2
        and matrix.shape[0] == matrix.shape[1]
        # The terms of a finite sum are finite. Python does not warn of an overflow.
        and math.isfinite(sum(matrix.ravel().tolist()))
    )
