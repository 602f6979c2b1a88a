# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The state of a learning module's step between its two phases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Sequence

if TYPE_CHECKING:
    from tbp.monty.backends import EvidenceWork
    from tbp.monty.cmp import Message
    from tbp.monty.context import RuntimeContext

__all__ = ["PendingStep"]


@dataclass
class PendingStep:
    """A step that was dispatched and is yet to be processed.

    Attributes:
        ctx: The runtime context.
        percepts: The percepts that are processed in the second phase.
        work: The work handed to the backend, if any.
    """

    ctx: RuntimeContext
    percepts: Sequence[Message]
    work: EvidenceWork | None = None
