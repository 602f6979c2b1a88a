# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""One number, clipped into a range."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["clip_number"]


def clip_number(number: Any, least: float, most: float) -> Any:
    """Return what `np.clip` returns, faster for one number.

    Args:
        number: A number, or anything that `np.clip` takes.
        least: The lowest number of the range.
        most: The highest one.
    """
    # Python compares its own numbers faster.
    value = float(number) if type(number) is np.float64 else 0.0
    if value == 0:  # The sign of a zero is numpy's to decide.
        return np.clip(number, least, most)
    if least <= value <= most:
        return number
    return np.float64(min(max(value, least), most))
