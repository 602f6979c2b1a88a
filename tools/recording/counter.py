# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Counts the steps and episodes of an experiment, and reads nothing of its state."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["Counter", "LimitReached"]


class LimitReached(BaseException):
    """The run took as many steps or episodes as it was allowed to.

    Not an `Exception`, so that no handler in the experiment treats it as an error.
    """


class Counter:
    """Counts the steps and episodes of one experiment, and ends it after some steps."""

    def __init__(
        self,
        *,
        steps: int | None = None,
        progress: Callable[[int, int], None] = lambda _episodes, _steps: None,
    ) -> None:
        """Makes a counter.

        Args:
            steps: After how many steps of Monty to end the run.
            progress: Called with the numbers of episodes and steps done so far.
        """
        self._step_limit = steps
        self._progress = progress
        self.steps = 0
        self.episodes = 0

    def attach(self, experiment: Any) -> None:
        """Puts the counter between an experiment and its hooks.

        Args:
            experiment: A `MontyExperiment` that has not been set up yet.
        """
        experiment._step_hook = _CountedStepHook(experiment._step_hook, self)
        post_episode = experiment.post_episode

        def counted_post_episode(steps: int) -> None:
            with self.noted_episode(experiment, steps):
                post_episode(steps)
            self.episodes += 1
            self._progress(self.episodes, self.steps)

        experiment.post_episode = counted_post_episode

    def note_step(self, ctx: Any, monty: Any, step: int, actions: Any) -> None:  # noqa: ARG002 for subclasses
        """Counts a step.

        Args:
            ctx: The runtime context.
            monty: The Monty model, after the step.
            step: The number of the step in its episode.
            actions: The actions that the environment will get.

        Raises:
            LimitReached: If that was the last step allowed.
        """
        self.steps += 1
        self._progress(self.episodes, self.steps)
        if self.steps == self._step_limit:
            raise LimitReached

    @contextlib.contextmanager
    def noted_episode(self, experiment: Any, steps: int) -> Iterator[None]:  # noqa: ARG002 for subclasses
        """Surrounds the experiment's own work at the end of an episode.

        Args:
            experiment: The experiment.
            steps: The number of steps of the episode.
        """
        yield


class _CountedStepHook:
    """Calls the configured step hook, then the counter."""

    def __init__(self, hook: Any, counter: Counter) -> None:
        self._hook = hook
        self._counter = counter

    def __call__(
        self, ctx: Any, monty: Any, supervised: Any, step: int, *rest: Any
    ) -> Any:
        actions = self._hook(ctx, monty, supervised, step, *rest)
        self._counter.note_step(ctx, monty, step, actions)
        return actions

    def close(self) -> None:
        self._hook.close()
