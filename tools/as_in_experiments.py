# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Treats a Monty that no experiment has made as experiments treat theirs."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

__all__ = ["as_in_experiments"]


def as_in_experiments(decorator: str, function: Callable) -> Callable[..., Any]:
    """Return a function as the fork's experiments decorate it; upstream's do not.

    Args:
        decorator: The name of the decorator: `collecting_later`, for example.
        function: The function.
    """
    try:
        module = importlib.import_module("tbp.monty.frameworks.utils.collecting_later")
    except ModuleNotFoundError:
        return function
    return getattr(module, decorator)(function)
