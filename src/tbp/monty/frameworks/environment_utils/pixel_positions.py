# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Where the pixels of an image are."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

__all__ = ["pixel_positions"]


def pixel_positions(
    depth: npt.NDArray[np.floating], inverse: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return where the pixels of a depth image are, as seen by its camera.

    A pinhole camera scales x and y. The product with its matrix would only add zeros
    to that, which turns -0.0 into 0.0.

    Args:
        depth: The depth of each pixel, shape (1, height, width).
        inverse: The inverse of the camera's intrinsic matrix, shape (4, 4).

    Returns:
        The coordinates x, y, z and 1 of all pixels, shape (4, height * width), and a
        copy of them, shape (height * width, 4).
    """
    _, height, width = depth.shape
    images = np.empty((4, height, width))
    np.multiply(_in_image(width, height), depth, out=images[:2])
    np.negative(depth, out=images[2:3])
    images[3] = 1
    positions = images.reshape(4, -1)
    scales = _scales(inverse.tobytes())
    if scales is not None and np.isfinite(depth).all():
        positions[:2] *= scales
        positions[:3] += 0.0
    else:
        positions = np.matmul(inverse, positions)
    rows = np.empty((height * width, 4))
    for axis, coordinates in enumerate(positions):
        rows[:, axis] = coordinates  # Numpy copies a transpose number by number.
    return positions, rows


@functools.lru_cache(maxsize=16)  # sensors rarely have more than two resolutions
def _in_image(width: int, height: int) -> npt.NDArray[np.float64]:
    """Return the positions from left to right and from bottom to top, from -1 to 1."""
    return np.array(np.meshgrid(np.linspace(-1, 1, width), np.linspace(1, -1, height)))


@functools.lru_cache(maxsize=16)
def _scales(inverse: bytes) -> npt.NDArray[np.float64] | None:
    """Return by what a matrix scales x and y, if that is all it does."""
    x, y = np.frombuffer(inverse)[[0, 5]]
    if np.diag([x, y, 1.0, 1.0]).tobytes() != inverse:
        return None
    return np.array([[x], [y]])
