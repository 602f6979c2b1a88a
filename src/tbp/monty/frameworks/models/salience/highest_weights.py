# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The weights of visited locations, at many points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.salience.return_inhibitor import DecayKernel

__all__ = ["highest_weights"]

_MARGIN = 1.001
"""Covers the rounding of a square and of its root."""


def highest_weights(
    kernels: Sequence[DecayKernel], points: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the highest weight that any kernel has at each point.

    The result is that of calling each kernel and taking the maximum, bit for bit. Most
    points are farther from a visited location than its cutoff, and have the weight 0:
    only the others need a root and an exponential.

    Args:
        kernels: At least one kernel.
        points: The points, of shape (n, 3).

    Returns:
        The weights, of shape (n,).
    """
    if not (_are_doubles(points, 2) and all(map(_is_default, kernels))):
        return np.max(np.array([kernel(points) for kernel in kernels]), axis=0)
    columns = np.ascontiguousarray(points.T)
    highest = np.zeros(len(points))
    for kernel in kernels:
        squares = _squared_distances(kernel._location, columns)
        cutoff = np.inf if kernel._spatial_cutoff is None else kernel._spatial_cutoff
        # Not far, instead of near: NaN is neither.
        near = np.flatnonzero(~(squares > _MARGIN * cutoff**2))
        distances = np.sqrt(squares[near])
        weights = np.exp(-distances / (kernel._tau_s / np.log(2)))
        weights[distances > cutoff] = 0.0
        weights *= kernel.w_t()
        highest[near] = np.maximum(highest[near], weights)
    return highest


def _squared_distances(
    location: npt.NDArray[np.float64], columns: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the squares of which `np.linalg.norm` takes the roots, with the same bits.

    Args:
        location: A location.
        columns: The coordinates of points, of shape (3, n).
    """
    offsets = location[:, np.newaxis] - columns
    offsets *= offsets
    squares = offsets[0] + offsets[1]
    squares += offsets[2]
    return squares


def _is_default(kernel: DecayKernel) -> bool:
    # Imported here, because that module imports this one.
    from tbp.monty.frameworks.models.salience.return_inhibitor import (  # noqa: PLC0415
        DecayKernel,
    )

    # A subclass may weigh in another way.
    return type(kernel) is DecayKernel and _are_doubles(kernel._location, 1)


def _are_doubles(array: object, dimensions: int) -> bool:
    return (
        isinstance(array, np.ndarray)
        and array.dtype == np.float64
        and array.ndim == dimensions
        and array.shape[-1] == 3
    )
