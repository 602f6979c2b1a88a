# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The length of a vector, and vectors as the rows of a matrix."""

from __future__ import annotations

from typing import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["as_rows", "length"]


def length(vector: npt.NDArray[np.float64]) -> np.floating:
    """Return what `np.linalg.norm` returns, faster for one vector.

    Args:
        vector: A vector, or anything that `norm` takes.
    """
    if (
        type(vector) is np.ndarray
        and vector.dtype == float
        and vector.ndim == 1
        and vector.flags.c_contiguous
    ):
        return np.sqrt(vector.dot(vector))
    return np.linalg.norm(vector)


def as_rows(vectors: Sequence[npt.ArrayLike]) -> npt.NDArray[np.float64]:
    """Return what `np.vstack` returns for vectors, faster.

    Args:
        vectors: Vectors of the same length.
    """
    return np.array(vectors)
