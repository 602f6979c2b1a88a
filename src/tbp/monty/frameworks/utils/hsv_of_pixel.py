# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The color of one pixel, in hue, saturation and value."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from skimage.color import rgb2hsv

__all__ = ["hsv_of_pixel"]

_UNIT = 1.0 / 255


def hsv_of_pixel(rgb: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    """Return what `rgb2hsv` of skimage returns, faster for one pixel.

    Args:
        rgb: A pixel of shape (3,), or anything that `rgb2hsv` takes.

    Returns:
        Hue, saturation and value, each from 0 to 1.
    """
    if rgb.dtype != np.uint8 or rgb.shape != (3,):
        return rgb2hsv(rgb)
    red, green, blue = (level * _UNIT for level in rgb.tolist())
    value = max(red, green, blue)
    delta = value - min(red, green, blue)
    if delta == 0.0:
        return np.array([0.0, 0.0, value])
    # The order matters: of two colors that are equally bright, the later one decides.
    if blue == value:
        sector = 4.0 + (red - green) / delta
    elif green == value:
        sector = 2.0 + (blue - red) / delta
    else:
        sector = (green - blue) / delta
    return np.array([(sector / 6.0) % 1.0, delta / value, value])
