# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Reads a goal where no motor system does, so that runs without one cost the same."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

__all__ = ["read_goal"]


def read_goal(goals: Iterable[Any]) -> None:
    """Reads where the goal is that a policy selector would choose."""
    chosen = max(goals, key=attrgetter("confidence"), default=None)
    if chosen is not None:
        _ = chosen.location  # The fork computes it now.
