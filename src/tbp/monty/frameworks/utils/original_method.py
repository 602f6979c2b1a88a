# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Whether a method is still the one that its class was written with."""

from __future__ import annotations

from typing import Any

__all__ = ["is_original"]


def is_original(method: Any, module: str, qualified_name: str) -> bool:
    """Return whether a method is the one that a module defines by a name.

    It is known by its name, because an override, or a method of one object, has
    another. A patch may have the same name, but then it says what it wraps.
    """
    return (
        getattr(method, "__qualname__", None) == qualified_name
        and method.__module__ == module
        and not hasattr(method, "__wrapped__")
    )
