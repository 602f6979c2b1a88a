# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The step of a learning module has two phases."""

from __future__ import annotations

from ..codemods.add_method import AddMethod
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
The interface of learning modules gets each step in two halves: one that dispatches
the work of the step, and one that processes its results. By default the first keeps
the arguments, and the second runs the whole step. So every learning module takes part,
and one that has work for a backend overrides both.

To check: that the halves of a learning module which overrides none of them do what
its step does."""

_DISPATCH = '''\
def dispatch_{step}(
    self, ctx: RuntimeContext, percepts: Sequence[Message]
) -> PendingStep:
    """Return a pending `{step}`; by default, no work is dispatched."""
    return PendingStep(ctx, percepts)
'''

_PROCESS = '''\
def process_{step}(self, pending: PendingStep) -> None:
    """Finish a dispatched `{step}`. By default this runs all of it."""
    self.{step}(pending.ctx, pending.percepts)
'''


def _halves(step: str) -> tuple[Rewrite, ...]:
    return tuple(
        Rewrite(
            "frameworks/models/abstract_monty_classes.py",
            AddMethod(
                class_name="LearningModule",
                place_after=after,
                method=method.format(step=step),
                imports=(
                    NeededImport(
                        "tbp.monty.frameworks.models.pending_step", "PendingStep"
                    ),
                ),
            ),
        )
        for method, after in ((_DISPATCH, step), (_PROCESS, f"dispatch_{step}"))
    )


STEP = Step(
    title="feat: give the step of a learning module two phases",
    part="core",
    after="split_stepping",
    # Halves come before their callers; each commit steps as before.
    body=_BODY,
    rewrites=(*_halves("matching_step"), *_halves("exploratory_step")),
    overlay=("frameworks/models/pending_step.py",),
    tests=("frameworks/models/pending_step_test.py",),
)
