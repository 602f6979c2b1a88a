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

from functools import lru_cache
from typing import Callable

import numpy as np
import numpy.typing as npt

__all__ = ["chosen_weights", "quadratic_terms"]


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


def chosen_weights(
    chosen: npt.NDArray[np.bool_],
    terms: npt.NDArray[np.float64],
    weigh: Callable[..., npt.NDArray[np.float64]],
    *of_shape: float,
) -> npt.NDArray[np.float64]:
    """Return the weights of some pixels, to multiply the terms of these pixels with.

    A weight per number takes more memory than a weight per row. But it takes less time
    to multiply with, because numpy broadcasts a column row by row.

    Args:
        chosen: Which pixels to return the weights of.
        terms: Their terms, of shape (m, columns).
        weigh: Returns the weights of all pixels, of shape (n, 1).
        *of_shape: What `weigh` is called with. They decide the weights.

    Returns:
        An array of shape (m, columns), with the same number in each column. It is not
        to be written to.
    """
    weights = _in_columns(terms.shape[1], weigh, *of_shape)
    return weights if chosen.all() else weights.compress(chosen, axis=0)


@lru_cache(maxsize=16)  # sensors of an agent rarely have more than two resolutions
def _in_columns(
    columns: int, weigh: Callable[..., npt.NDArray[np.float64]], *of_shape: float
) -> npt.NDArray[np.float64]:
    weights = np.repeat(weigh(*of_shape), columns, axis=1)
    weights.flags.writeable = False
    return weights
