# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Checks of small matrices that call numpy less."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["all_equal_or_close", "all_real", "condition_number"]


def all_equal_or_close(
    first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]
) -> bool:
    """Return what `np.allclose` returns, faster if the arrays are small and equal.

    Args:
        first: An array.
        second: An array of the same shape.
    """
    # Python compares a few numbers faster than numpy does.
    return first.tolist() == second.tolist() or np.allclose(first, second)


def all_real(numbers: npt.NDArray) -> bool:
    """Return whether no number has an imaginary part.

    Args:
        numbers: The numbers. An array of floats is real as it is.
    """
    return not np.iscomplexobj(numbers) or bool(np.isreal(numbers).all())


def condition_number(matrix: npt.NDArray[np.float64]) -> np.float64:
    """Return what `np.linalg.cond` returns, faster for one matrix.

    Args:
        matrix: A matrix, or anything that `cond` takes.
    """
    values = np.linalg.svd(matrix, compute_uv=False)
    if values.dtype == float and values.ndim == 1 and values.size:
        # Python's floats round as numpy's do, and do not warn of an overflow.
        largest, smallest = values.item(0), values.item(-1)
        if smallest > 0:
            return np.float64(largest / smallest)
    return np.linalg.cond(matrix)
