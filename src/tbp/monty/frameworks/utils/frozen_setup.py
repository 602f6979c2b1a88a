# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Exempts what an experiment is made of from garbage collection, until it is closed."""

from __future__ import annotations

import functools
import gc
from typing import Any, Callable, TypeVar

from tbp.monty.frameworks.utils.collecting_later import collecting_later

__all__ = ["freezing_setup", "unfreezing_setup"]

T = TypeVar("T")

_OF_PYTHON = 1_000
"""Fewer frozen objects are Python's own: Python 3.12 begins with a few hundred."""

_frozen_here = False


def freezing_setup(set_up: Callable[..., T]) -> Callable[..., T]:
    """Return a function after which nothing that exists is searched for garbage.

    While it runs, no garbage is collected. If anything is frozen already, for example
    for another experiment, nothing more is frozen.

    Args:
        set_up: The function.
    """
    set_up = collecting_later(set_up)

    @functools.wraps(set_up)
    def called(*args: Any, **kwargs: Any) -> T:
        global _frozen_here  # noqa: PLW0603 as the collector, it is there once
        result = set_up(*args, **kwargs)
        if gc.isenabled() and gc.get_freeze_count() < _OF_PYTHON:
            gc.freeze()
            _frozen_here = True
        return result

    return called


def unfreezing_setup(close: Callable[..., T]) -> Callable[..., T]:
    """Return a function after which what was frozen can be collected again.

    Args:
        close: The function.
    """

    @functools.wraps(close)
    def called(*args: Any, **kwargs: Any) -> T:
        global _frozen_here  # noqa: PLW0603
        try:
            return close(*args, **kwargs)
        finally:
            if _frozen_here:
                gc.unfreeze()
                _frozen_here = False

    return called
