# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The positions of pixels in an image."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

__all__ = ["pixel_positions"]


@functools.lru_cache(maxsize=16)
def pixel_positions(
    width: int, height: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return where the pixels of an image are, from -1 to 1.

    Args:
        width: The width of the image, in pixels.
        height: Its height.

    Returns:
        The positions from left to right and from bottom to top, each of shape
        (1, height, width). They are kept, and cannot be written to.
    """
    shape = (1, height, width)
    x = np.broadcast_to(np.linspace(-1, 1, width), shape).copy()
    y = np.broadcast_to(np.linspace(1, -1, height)[:, np.newaxis], shape).copy()
    for positions in (x, y):
        positions.flags.writeable = False
    return x, y
