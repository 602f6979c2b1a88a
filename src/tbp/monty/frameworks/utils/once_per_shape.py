# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Functions that depend on nothing but the shape of a patch."""

from __future__ import annotations

import functools
from typing import Callable

import numpy as np
import numpy.typing as npt

__all__ = ["once_per_shape"]

_MOST_SHAPES = 16
"""Sensors of an agent rarely have more than two resolutions."""


def once_per_shape(
    function: Callable[..., npt.NDArray[np.float64]],
) -> Callable[..., npt.NDArray[np.float64]]:
    """Make a function compute its array once for each set of arguments.

    A caller gets a copy, so writing into it changes nothing for others.
    """
    # Typed, because the type of a number may decide the type of the array.
    known = functools.lru_cache(maxsize=_MOST_SHAPES, typed=True)(function)

    @functools.wraps(function)
    def copy_of_known(*args: object, **kwargs: object) -> npt.NDArray[np.float64]:
        return known(*args, **kwargs).copy(order="K")

    return copy_of_known
