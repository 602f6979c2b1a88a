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

_SHARE = 4
"""New objects are searched when there are a quarter as many as frozen ones: Python lets
so many of its older objects wait. Most of what a step makes, the next one replaces."""

_thresholds_before: tuple[int, int, int] | None = None
"""Those of the collector; None if nothing was frozen here."""


def freezing_setup(set_up: Callable[..., T]) -> Callable[..., T]:
    """Return a function after which nothing that exists is searched for garbage.

    While it runs, no garbage is collected. What is made later is searched less often.
    If anything is frozen already, for example for another experiment, nothing more is
    frozen.

    Args:
        set_up: The function.
    """
    set_up = collecting_later(set_up)

    @functools.wraps(set_up)
    def called(*args: Any, **kwargs: Any) -> T:
        global _thresholds_before  # noqa: PLW0603 as the collector, it is there once
        result = set_up(*args, **kwargs)
        if gc.isenabled() and gc.get_freeze_count() < _OF_PYTHON:
            gc.freeze()
            _thresholds_before = gc.get_threshold()
            new, *older = _thresholds_before
            if new:  # otherwise nothing is ever searched
                gc.set_threshold(max(new, gc.get_freeze_count() // _SHARE), *older)
        return result

    return called


def unfreezing_setup(close: Callable[..., T]) -> Callable[..., T]:
    """Return a function after which what was frozen can be collected again.

    Args:
        close: The function.
    """

    @functools.wraps(close)
    def called(*args: Any, **kwargs: Any) -> T:
        global _thresholds_before  # noqa: PLW0603
        try:
            return close(*args, **kwargs)
        finally:
            if _thresholds_before is not None:
                gc.unfreeze()
                gc.set_threshold(*_thresholds_before)
                _thresholds_before = None

    return called
