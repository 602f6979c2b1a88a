# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The steps of learning modules, in two halves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from tbp.monty.frameworks.models.pending_step import PendingStep

if TYPE_CHECKING:
    from tbp.monty.cmp import Message
    from tbp.monty.context import RuntimeContext
    from tbp.monty.frameworks.models.abstract_monty_classes import LearningModule

__all__ = ["dispatch_step", "has_halves", "process_step"]


def dispatch_step(
    lm: LearningModule,
    step_type: str,
    ctx: RuntimeContext,
    percepts: Sequence[Message],
) -> PendingStep:
    """Return a pending step. One without halves has yet to begin."""
    if has_halves(lm, step_type):
        return getattr(lm, f"dispatch_{step_type}")(ctx, percepts)
    return PendingStep(ctx, percepts)


def process_step(lm: LearningModule, step_type: str, pending: PendingStep) -> None:
    """Finish a pending step."""
    if has_halves(lm, step_type):
        getattr(lm, f"process_{step_type}")(pending)
    else:
        getattr(lm, step_type)(pending.ctx, pending.percepts)


def has_halves(lm: LearningModule, step_type: str) -> bool:
    """Return whether a learning module has a step of this type in halves."""
    return hasattr(type(lm), f"dispatch_{step_type}")
