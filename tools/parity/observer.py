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

from collections.abc import Callable
from typing import Any

from .digest import digest
from .fault import own_work
from .look import counters, lm_after_episode, lm_after_step, lm_memory, per_lm
from .recording import RecordingWriter

__all__ = ["LimitReached", "Observer"]


class LimitReached(BaseException):
    """The run took as many steps or episodes as it was allowed to.

    Not an `Exception`, so that no handler in the experiment treats it as an error.
    """


class Observer:
    """Records the steps and episodes of one experiment."""

    def __init__(
        self,
        writer: RecordingWriter,
        *,
        steps: int | None = None,
        episodes: int | None = None,
        progress: Callable[[int, int], None] = lambda _episodes, _steps: None,
    ) -> None:
        """Makes an observer.

        Args:
            writer: Where to record.
            steps: After how many steps of Monty to end the run.
            episodes: After how many episodes to end the run.
            progress: Called with the numbers of episodes and steps done so far.
        """
        self._writer = writer
        self._step_limit = steps
        self._episode_limit = episodes
        self._progress = progress
        self.steps = 0
        self.episodes = 0

    def attach(self, experiment: Any) -> None:
        """Puts the observer between an experiment and its hooks.

        Args:
            experiment: A `MontyExperiment` that has not been set up yet.
        """
        experiment._step_hook = _ObservedStepHook(experiment._step_hook, self)
        post_episode = experiment.post_episode

        def observed_post_episode(steps: int) -> None:
            with own_work():
                event = _episode(experiment, self.episodes, steps)
            post_episode(steps)
            with own_work():
                # Memory is written in post_episode, so it is read afterwards.
                memories = per_lm(experiment.model, lm_memory)
                for lm, memory in memories.items():
                    event["lms"][lm].update(memory)
                self._writer.note(event)
            self.episodes += 1
            self._progress(self.episodes, self.steps)
            if self.episodes == self._episode_limit:
                raise LimitReached

        experiment.post_episode = observed_post_episode

    def note_step(self, ctx: Any, monty: Any, step: int, actions: Any) -> None:
        """Records a step.

        Args:
            ctx: The runtime context.
            monty: The Monty model, after the step.
            step: The number of the step in its episode.
            actions: The actions that the environment will get.

        Raises:
            LimitReached: If that was the last step allowed.
        """
        with own_work():
            self._writer.note(
                {
                    "event": "step",
                    "episode": self.episodes,
                    "step": step,
                    "step_type": getattr(monty, "step_type", None),
                    "motor_only": getattr(monty, "is_motor_only_step", None),
                    "actions": list(actions),
                    "random_state": digest(ctx.rng.get_state()),
                    "lms": per_lm(monty, lm_after_step),
                }
            )
        self.steps += 1
        self._progress(self.episodes, self.steps)
        if self.steps == self._step_limit:
            raise LimitReached


class _ObservedStepHook:
    """Calls the configured step hook, then the observer."""

    def __init__(self, hook: Any, observer: Observer) -> None:
        self._hook = hook
        self._observer = observer

    def __call__(
        self, ctx: Any, monty: Any, supervised: Any, step: int, *rest: Any
    ) -> Any:
        actions = self._hook(ctx, monty, supervised, step, *rest)
        self._observer.note_step(ctx, monty, step, actions)
        return actions

    def close(self) -> None:
        self._hook.close()


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
