# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Shows on a terminal how far an experiment of this process is."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter as Tally
from collections.abc import Iterator
from typing import Any, TextIO

from tqdm import tqdm

from .counter import Counter
from .episodes import expected_episodes

__all__ = ["progress_shown"]

FORMAT = "{desc} {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]"
NOTHING_YET = "no_observations_yet"
"""What upstream's learning modules call their most likely object at first."""


@contextlib.contextmanager
def progress_shown(runner: Any) -> Iterator[None]:
    """Shows the progress of experiments, if the standard error is a terminal.

    Args:
        runner: Upstream's module that makes and runs experiments.
    """
    terminal = sys.stderr
    if not terminal.isatty():
        yield
        return
    instantiate = runner.instantiate_experiment

    def instantiate_shown(config: Any) -> Any:
        experiment = instantiate(config)
        _Progress(terminal).attach(experiment)
        return experiment

    with contextlib.ExitStack() as stack:
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream.isatty():
                stack.callback(setattr, sys, name, stream)
                setattr(sys, name, _AboveTheBar(stream))
        stack.callback(setattr, runner, "instantiate_experiment", instantiate)
        runner.instantiate_experiment = instantiate_shown
        yield


class _Progress(Counter):
    """A bar with the episodes of an experiment, and what its last step was."""

    def __init__(self, terminal: TextIO) -> None:
        super().__init__()
        self._terminal = terminal
        self._experiment: Any = None
        self._bar: Any = None

    def attach(self, experiment: Any) -> None:
        super().attach(experiment)
        self._experiment = experiment
        run = experiment.run
        spec = getattr(experiment, "episode_spec", None)

        def run_shown() -> None:
            # Not earlier: only now is it known how many episodes there are.
            with tqdm(
                total=expected_episodes(experiment, spec),
                desc="episodes",
                bar_format=FORMAT,
                file=self._terminal,
                dynamic_ncols=True,
                miniters=0,
                smoothing=0,  # the last episode tells little of the next
            ) as self._bar:
                run()

        experiment.run = run_shown

    def note_step(self, ctx: Any, monty: Any, step: int, actions: Any) -> None:
        super().note_step(ctx, monty, step, actions)
        parts = [f"step {step + 1}", _target(self._experiment), _most_likely(monty)]
        text = ", ".join(filter(None, parts))
        self._bar.set_postfix_str(_printable(text), refresh=False)
        self._bar.update(0)

    @contextlib.contextmanager
    def noted_episode(self, experiment: Any, steps: int) -> Iterator[None]:
        try:
            with super().noted_episode(experiment, steps):
                yield
        finally:
            self._bar.update()  # also if the run ends at a limit


class _AboveTheBar:
    """A terminal on which whole lines appear above bars, and not within them."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self._begun = ""

    def write(self, text: str) -> int:
        lines, newline, self._begun = (self._begun + text).rpartition("\n")
        if newline:
            with tqdm.external_write_mode(file=self._terminal):
                self._terminal.write(lines + newline)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._terminal, name)


def _target(experiment: Any) -> str:
    target = getattr(experiment.env_interface, "primary_target", None)
    return f"on {target['object']}" if target else ""


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


def _printable(text: str) -> str:
    """Returns a name that cannot control the terminal."""
    return "".join(one if one.isprintable() else "?" for one in text)
