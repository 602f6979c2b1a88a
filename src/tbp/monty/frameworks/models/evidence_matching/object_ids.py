# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What is computed from the id of an object is computed once."""

from __future__ import annotations

import functools
from typing import Any, Callable

__all__ = ["once_per_object_id"]


def once_per_object_id(
    method: Callable[[Any, str], int],
) -> Callable[[Any, str], int]:
    """Keep what a method returns for each object id.

    Args:
        method: A method that depends on nothing but the id.
    """
    known: dict[str, int] = {}

    @functools.wraps(method)
    def computed_once(self: Any, object_id: str) -> int:
        if object_id not in known:
            known[object_id] = method(self, object_id)
        return known[object_id]

    return computed_once
