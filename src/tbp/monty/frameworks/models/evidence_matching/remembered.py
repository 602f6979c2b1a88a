# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Remembers what was made of arrays."""

from __future__ import annotations

import functools
from typing import Callable, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["remembered"]

T = TypeVar("T")

MOST = 1024
"""How many results are remembered, in all."""


def remembered(make: Callable[[npt.NDArray], T], array: npt.ArrayLike) -> T:
    """Return what a function makes of an array; made once for the same numbers.

    Args:
        make: The function. What it returns must never change: others get it too.
        array: What to make it of; it is copied.
    """
    array = np.asarray(array)
    return _made(make, array.tobytes(), array.dtype, array.shape)


@functools.lru_cache(maxsize=MOST)
def _made(make, content: bytes, dtype: np.dtype, shape: tuple[int, ...]):
    return make(np.frombuffer(content, dtype).reshape(shape).copy())
