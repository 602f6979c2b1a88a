# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What the first half of a step leaves to the second."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Sequence

if TYPE_CHECKING:
    from tbp.monty.cmp import Message
    from tbp.monty.context import RuntimeContext

__all__ = ["PendingStep"]


@dataclass
class PendingStep:
    """A step that was dispatched and is yet to be processed.

    Attributes:
        ctx: The runtime context.
        percepts: The percepts that are processed in the second half.
        matches: The pending update of the possible matches, if any.
        is_over: Whether the step ended in the first half.
    """

    ctx: RuntimeContext
    percepts: Sequence[Message]
    matches: Any = None
    is_over: bool = False
