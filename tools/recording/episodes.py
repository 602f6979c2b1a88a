# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Which episodes of an experiment run: those that --episodes means, or all."""

from __future__ import annotations

import importlib
import itertools
from typing import Any

from ..ending import CouldNotRun
from .counter import LimitReached

__all__ = ["choose_episodes", "episodes_of", "expected_episodes"]

RUNNER = "tbp.monty.frameworks.run_parallel"


class NoSuchEpisodes(CouldNotRun):
    """An experiment does not have the episodes that are asked for."""


def episodes_of(spec: str, total: int | None) -> list[int]:
    """Returns the episodes that a SPEC means, as upstream's parallel runner reads it.

    Args:
        spec: The SPEC.
        total: How many episodes there are; None if there is no end.

    Raises:
        NoSuchEpisodes: If it means nothing, none, or one that does not exist.
    """
    if total is None:
        raise NoSuchEpisodes(
            f"--episodes {spec}: the experiment has no number of episodes to choose "
            "from: use --steps"
        )
    try:
        chosen = importlib.import_module(RUNNER).parse_episode_spec(spec, total)
    except ValueError as error:
        raise NoSuchEpisodes(f"--episodes {spec}, of its {total}: {error}") from error
    if not chosen:
        raise NoSuchEpisodes(f"--episodes {spec}, of its {total}: there are none")
    return chosen


def expected_episodes(experiment: Any, spec: str | None) -> int | None:
    """Returns how many episodes will run; None if there is no end.

    Args:
        experiment: The experiment, after it was set up.
        spec: Which of them; None for all.
    """
    total = _planned(experiment)
    return total if spec is None else len(episodes_of(spec, total))


def choose_episodes(experiment: Any, spec: str | None) -> None:
    """Lets an experiment run only some of its episodes, and end after the last one.

    They are counted over the whole run, from the first one of the training on. Those
    before and between are skipped as upstream skips poses without a visible object, so
    that every episode has the seed and the object that it has in a whole run.

    Args:
        experiment: The experiment, after it was set up.
        spec: Which of them; None for all.
    """
    if spec is None:
        return
    chosen = episodes_of(spec, _planned(experiment))
    numbers = itertools.count()
    run_episode = experiment.run_episode

    def run_if_chosen() -> None:
        number = next(numbers)
        if number not in chosen:
            _skip(experiment)
            return
        run_episode()
        if number == chosen[-1]:
            raise LimitReached

    experiment.run_episode = run_if_chosen


def _skip(experiment: Any) -> None:
    if experiment.experiment_mode.name == "TRAIN":
        experiment.train_episodes += 1
    else:
        experiment.eval_episodes += 1
    experiment.env_interface.post_episode()


def _planned(experiment: Any) -> int | None:
    """Returns how many episodes an experiment has; None if it has no end."""
    parts = []
    if experiment.do_train:
        parts.append((experiment.n_train_epochs, experiment.train_env_interface))
    if experiment.do_eval:
        parts.append((experiment.n_eval_epochs, experiment.eval_env_interface))
    counts = [(epochs, _in_an_epoch(interface)) for epochs, interface in parts]
    if any(count is None for _, count in counts):
        return None
    return sum(epochs * (count or 0) for epochs, count in counts)


def _in_an_epoch(interface: Any) -> int | None:
    """Returns the episodes of an epoch, as upstream's `run_epoch` counts them."""
    interfaces = importlib.import_module("tbp.monty.experiment.environment")
    if isinstance(interface, interfaces.SaccadeOnImageFromStreamInterface):
        return None
    if isinstance(interface, interfaces.SaccadeOnImageInterface):
        return len(interface.scenes)
    if isinstance(interface, interfaces.OneObjectPerEpisodeInterface):
        return len(interface.object_names)
    return 1
