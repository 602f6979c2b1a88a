# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Arrays that depend on the shape of an image only."""

from __future__ import annotations

import functools
from typing import Callable

import numpy as np
import numpy.typing as npt

__all__ = ["computed_once", "pixel_grid"]

_Function = Callable[..., "npt.NDArray[np.float64]"]


def computed_once(function: _Function) -> _Function:
    """Return a function that keeps the array it returns for the same arguments.

    The array is read-only, because all callers get the same one.

    Args:
        function: The function; its arguments are numbers.
    """

    # Sensors rarely have more than a few resolutions.
    @functools.lru_cache(maxsize=16)
    @functools.wraps(function)
    def kept(*args: float, **kwargs: float) -> npt.NDArray[np.float64]:
        array = function(*args, **kwargs)
        array.flags.writeable = False
        return array

    return kept


@computed_once
def pixel_grid(height: int, width: int) -> npt.NDArray[np.float64]:
    """Return how far right and how far up the pixels of an image are, from -1 to 1.

    Returns:
        Two images, shape (2, height, width).
    """
    right, up = np.linspace(-1, 1, width), np.linspace(1, -1, height)
    return np.array(np.meshgrid(right, up))
