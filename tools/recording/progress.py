# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Shows on a terminal how far the experiments of this process are."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections import Counter as Tally
from collections.abc import Iterator
from typing import Any

from tqdm.contrib.logging import logging_redirect_tqdm

from ..progress import Show, progress_shown
from .counter import Counter
from .episodes import expected_episodes

__all__ = ["experiments_shown"]

NOTHING_YET = "no_observations_yet"
"""What upstream's learning modules call their most likely object at first."""


@contextlib.contextmanager
def experiments_shown(runner: Any) -> Iterator[None]:
    """Shows the progress of experiments, if the standard error is a terminal.

    Args:
        runner: Upstream's module that makes and runs experiments.
    """
    instantiate = runner.instantiate_experiment

    def instantiate_shown(config: Any) -> Any:
        experiment = instantiate(config)
        _Shown().attach(experiment)
        return experiment

    if sys.stderr.isatty():
        runner.instantiate_experiment = instantiate_shown
    try:
        yield
    finally:
        runner.instantiate_experiment = instantiate


class _Shown(Counter):
    """Shows the episodes of an experiment, and what its last step was."""

    def attach(self, experiment: Any) -> None:
        super().attach(experiment)
        self._experiment = experiment
        run = experiment.run
        spec = getattr(experiment, "episode_spec", None)

        def run_shown() -> None:
            # Not earlier: only now is it known how many episodes there are, and
            # where Monty logs to.
            self._total = expected_episodes(experiment, spec)
            with progress_shown("episodes", leave=True) as show, _logs_above_the_bar():
                self._show: Show = show
                show(0, self._total, "")
                try:
                    run()
                finally:
                    show(self.episodes, self._total, "")

        experiment.run = run_shown

    def note_step(self, ctx: Any, monty: Any, step: int, actions: Any) -> None:
        super().note_step(ctx, monty, step, actions)
        target = getattr(self._experiment.env_interface, "primary_target", None)
        parts = (
            f"step {step + 1}",
            f"on {target['object']}" if target else "",
            _most_likely(monty),
        )
        self._show(self.episodes, self._total, ", ".join(filter(None, parts)))


def _logs_above_the_bar() -> contextlib.AbstractContextManager[None]:
    loggers = [logging.getLogger("tbp.monty"), logging.getLogger()]
    return logging_redirect_tqdm(
        # It would give a handler also to those that do not log to the terminal.
        [
            logger
            for logger in loggers
            if any(type(one) is logging.StreamHandler for one in logger.handlers)
        ]
    )


def _most_likely(monty: Any) -> str:
    """Returns which object most learning modules think it is.

    Learning modules know it already: nothing is computed or brought over.
    """
    found: Tally[str] = Tally(
        str(lm.current_mlh["graph_id"])
        for lm in monty.learning_modules
        if getattr(lm, "current_mlh", None)
    )
    found.pop(NOTHING_YET, None)
    if not found:
        return ""
    name, count = found.most_common(1)[0]
    of_all = f" ({count} of {len(monty.learning_modules)})"
    return f"most likely {name}{of_all if len(monty.learning_modules) > 1 else ''}"
