# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Postpones Python's garbage collection."""

from __future__ import annotations

import functools
import gc
from typing import Any, Callable, TypeVar

__all__ = ["collecting_later"]

T = TypeVar("T")


def collecting_later(function: Callable[..., T]) -> Callable[..., T]:
    """Return a function during which no garbage is collected.

    What is freed without the collector, which is nearly everything, is freed as before.
    """

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> T:
        if not gc.isenabled():  # by whoever calls this, who may have a reason
            return function(*args, **kwargs)
        gc.disable()
        try:
            return function(*args, **kwargs)
        finally:
            gc.enable()

    return called
