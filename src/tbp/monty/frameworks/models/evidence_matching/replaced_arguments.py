# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Says what replaced the arguments that the burst sampling updater no longer takes."""

from __future__ import annotations

import functools
from typing import Any, Callable

__all__ = ["ReplacedArguments", "names_replaced_arguments"]

_REPLACED_BY = {
    "hypotheses_count_multiplier": (
        "sampling_multiplier, the hypotheses to add on a step of a burst as a multiple "
        "of the nodes (sampling_burst_duration and burst_trigger_slope say when)"
    ),
    "hypotheses_existing_to_new_ratio": (
        "deletion_trigger_slope, the slope of evidence below which a hypothesis is "
        "deleted"
    ),
}


class ReplacedArguments(TypeError):
    """Arguments of an earlier release that have been replaced."""


def names_replaced_arguments(init: Callable[..., None]) -> Callable[..., None]:
    """Make a constructor say what replaced the arguments of earlier releases."""

    @functools.wraps(init)
    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        found = [name for name in _REPLACED_BY if name in kwargs]
        if found:
            lines = [f"  {name}: use {_REPLACED_BY[name]}" for name in found]
            raise ReplacedArguments(
                f"{type(self).__name__} no longer takes\n" + "\n".join(lines)
            )
        init(self, *args, **kwargs)

    return checked
