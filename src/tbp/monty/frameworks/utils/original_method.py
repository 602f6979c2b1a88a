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

from typing import Any, Iterable

__all__ = ["are_original", "is_original"]


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


def are_original(
    one: Any, module: str, class_name: str, methods: Iterable[str]
) -> bool:
    """Return whether methods of an object are those that a module's class defines.

    Args:
        one: The object.
        module: The module.
        class_name: Its class.
        methods: The names of the methods.
    """
    own, kind = vars(one), type(one)
    for name in methods:  # a generator would take more calls
        method = None if name in own else getattr(kind, name, None)
        if not is_original(method, module, f"{class_name}.{name}"):
            return False
    return True
