# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Experiments whose environment answers from a recording, without a simulator."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf, open_dict

from .counter import Counter, LimitReached
from .environment import ReplayEnvironment
from .episodes import choose_episodes
from .file import Recording
from .overrides import run_of

__all__ = ["asked_for", "experiments_fed_from", "make_fed", "remove_simulator"]

ACTION_TOLERANCE = 1e-9
"""How far actions may be from the recorded ones: another machine rounds them
differently."""

REPLAY = f"{ReplayEnvironment.__module__}.{ReplayEnvironment.__qualname__}"
"""The name that replaces the environment in a configuration."""

SIMULATORS = "tbp.monty.simulators."
CLASS_OF_SIMULATOR = "${monty.class:" + SIMULATORS


def asked_for(path: Path, *, trusted: bool) -> list[str]:
    """Returns the Hydra overrides of a recorded run.

    Args:
        path: The recording.
        trusted: Whether it may ask for anything.
    """
    with Recording(path) as recording:
        run = run_of(recording, trusted=trusted)
    return [f"experiment={run.experiment}", *run.overrides]


@contextlib.contextmanager
def experiments_fed_from(path: Path, runner: Any) -> Iterator[None]:
    """Makes upstream's runner create experiments that a recording answers."""
    instantiate = runner.instantiate_experiment
    with Recording(path) as recording:

        def instantiate_fed(config: Any) -> Any:
            replay = ReplayEnvironment(recording, tolerance=ACTION_TOLERANCE)
            experiment = make_fed(instantiate, config, replay)
            _end_at_limits(experiment, recording.manifest["limits"])
            return experiment

        runner.instantiate_experiment = instantiate_fed
        try:
            yield
        finally:
            runner.instantiate_experiment = instantiate


def make_fed(
    instantiate: Callable[[Any], Any], config: Any, replay: ReplayEnvironment
) -> Any:
    """Makes an experiment that a recording answers; its configuration is changed."""
    remove_simulator(config)
    experiment = instantiate(config)

    def init_env(env_init_func: Any, env_init_args: Any) -> None:  # noqa: ARG001
        experiment.env = replay

    experiment.init_env = init_env
    return experiment


def _end_at_limits(experiment: Any, limits: Mapping[str, Any]) -> None:
    """Ends a run where the recorded one reached a limit, and says so."""
    counter = Counter(steps=limits["steps"])
    counter.attach(experiment)
    experiment.episode_spec = limits["episodes"]
    run = experiment.run

    def run_to_the_limit() -> None:
        choose_episodes(experiment, limits["episodes"])
        try:
            run()
        except LimitReached:
            print(
                f"the recording ends here: {counter.episodes} episodes, "
                f"{counter.steps} steps",
                file=sys.stderr,
            )

    experiment.run = run_to_the_limit


def remove_simulator(experiment: Any) -> None:
    """Removes the simulator from an experiment, so that it is never imported.

    The arguments of the environment stay, because experiments read them (supervised
    training reads the sensors' positions there). The class `dict` replaces the
    simulator's classes in them.

    Args:
        experiment: The configuration of the experiment; it is changed.
    """
    environment = experiment.config.environment
    args = OmegaConf.to_container(environment.env_init_args, resolve=False)
    with open_dict(environment):
        environment.env_init_func = f"${{monty.class:{REPLAY}}}"
        environment.env_init_args = _plain(args)


def _plain(node: Any) -> Any:
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if isinstance(node, dict):
        return {key: _plain(item) for key, item in node.items()}
    if isinstance(node, str) and node.startswith(CLASS_OF_SIMULATOR):
        return "${monty.class:builtins.dict}"
    if isinstance(node, str) and node.startswith(SIMULATORS):
        return "builtins.dict"
    return node
