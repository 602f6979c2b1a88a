# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Records what an experiment does, step by step, without changing it.

See `look` for what is read.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .counter import Counter
from .digest import digest
from .fault import own_work
from .file import RecordingWriter
from .hypotheses import CheckedHypotheses, SentHypotheses
from .look import counters, lm_after_episode, lm_after_step, lm_memory, per_lm

__all__ = ["Observer"]


class Observer(Counter):
    """Records the steps and episodes of one experiment."""

    def __init__(
        self,
        writer: RecordingWriter,
        hypotheses: SentHypotheses | CheckedHypotheses | None = None,
        **counting: Any,
    ) -> None:
        """Makes an observer.

        Args:
            writer: Where to record.
            hypotheses: What to do with all hypotheses after a step.
            **counting: The arguments of `Counter`.
        """
        super().__init__(**counting)
        self._writer = writer
        self._hypotheses = hypotheses

    def note_step(self, ctx: Any, monty: Any, step: int, actions: Any) -> None:
        """Records a step, and counts it; see `Counter.note_step`."""
        with own_work():
            lms = per_lm(monty, lm_after_step)
            if self._hypotheses is not None:
                self._hypotheses.after_step(monty, lms)
            self._writer.note(
                {
                    "event": "step",
                    "episode": self.episodes,
                    "step": step,
                    "step_type": getattr(monty, "step_type", None),
                    "motor_only": getattr(monty, "is_motor_only_step", None),
                    "actions": list(actions),
                    "random_state": digest(ctx.rng.get_state()),
                    "lms": lms,
                }
            )
        super().note_step(ctx, monty, step, actions)

    @contextlib.contextmanager
    def noted_episode(self, experiment: Any, steps: int) -> Iterator[None]:
        """Records an episode; see `Counter.noted_episode`."""
        with own_work():
            event = _episode(experiment, self.episodes, steps)
        yield
        with own_work():
            # Memory is written in post_episode, so it is read afterwards.
            memories = per_lm(experiment.model, lm_memory)
            for lm, memory in memories.items():
                event["lms"][lm].update(memory)
            self._writer.note(event)


def _episode(experiment: Any, index: int, steps: int) -> dict[str, Any]:
    monty = experiment.model
    mode, epoch, episode = experiment.get_epoch_state()
    return {
        "event": "episode",
        "index": index,
        "mode": mode.name,
        "epoch": epoch,
        "episode": episode,
        "steps": steps,
        "target": getattr(experiment.env_interface, "primary_target", None),
        "counters": counters(monty),
        "lms": per_lm(monty, lm_after_episode),
    }
