# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Checks of decoded JSON: what a value must hold for those who read it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["NUMBER", "Check", "all_of", "anything", "check", "each", "fields", "kind"]

Check = Callable[[Any], bool]


def kind(*kinds: type) -> Check:
    """Returns a check for values of some types."""
    # Not isinstance: True is no number here.
    return lambda value: type(value) in kinds


def all_of(check_item: Check) -> Check:
    """Returns a check for lists."""
    return lambda value: type(value) is list and all(map(check_item, value))


def each(check_value: Check) -> Check:
    """Returns a check for the values of dictionaries with any keys."""
    return lambda value: type(value) is dict and all(map(check_value, value.values()))


def fields(**checks: Check) -> Check:
    """Returns a check for dictionaries that have some keys, and may have others."""
    return lambda value: type(value) is dict and not _faults(value, checks)


def anything(_: Any) -> bool:
    """Accepts every value."""
    return True


def _is_number(value: Any) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))


NUMBER: Check = _is_number
"""A finite number; JSON knows no others, but Python reads and writes them."""


def check(found: Mapping[str, Any], checks: Mapping[str, Check]) -> None:
    """Checks a dictionary.

    Raises:
        ValueError: If something is missing or of the wrong type.
    """
    faults = _faults(found, checks)
    if faults:
        raise ValueError(f"{', '.join(faults)}: missing, or not what is expected")


def _faults(found: Mapping[str, Any], checks: Mapping[str, Check]) -> list[str]:
    return [
        name
        for name, fits in checks.items()
        if name not in found or not fits(found[name])
    ]
