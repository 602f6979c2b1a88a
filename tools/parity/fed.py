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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .config import without_simulator
from .environment import ReplayEnvironment
from .recording import Recording

__all__ = [
    "ACTION_TOLERANCE",
    "REPLAY",
    "asked_for",
    "experiments_fed_from",
    "feed",
]

ACTION_TOLERANCE = 1e-9
"""How far actions may be from the recorded ones: another machine rounds them
differently."""

REPLAY = f"{ReplayEnvironment.__module__}.{ReplayEnvironment.__qualname__}"
"""The name that replaces the environment in a configuration."""


def asked_for(path: Path) -> list[str]:
    """Returns the Hydra overrides of a recorded run.

    Args:
        path: The recording.
    """
    with Recording(path) as recording:
        manifest = recording.manifest
        return [f"experiment={manifest['experiment']}", *manifest["overrides"]]


@contextlib.contextmanager
def experiments_fed_from(path: Path, runner: Any) -> Iterator[None]:
    """Makes upstream's runner create experiments that a recording answers.

    Args:
        path: The recording.
        runner: The module that makes and runs experiments.
    """
    instantiate = runner.instantiate_experiment
    with Recording(path) as recording:

        def instantiate_fed(config: Any) -> Any:
            replay = ReplayEnvironment(recording, tolerance=ACTION_TOLERANCE)
            without_simulator(config, REPLAY)
            experiment = instantiate(config)
            feed(experiment, replay)
            return experiment

        runner.instantiate_experiment = instantiate_fed
        try:
            yield
        finally:
            runner.instantiate_experiment = instantiate


def feed(experiment: Any, replay: ReplayEnvironment) -> None:
    """Gives an experiment an environment, before it makes its own."""

    def init_env(env_init_func: Any, env_init_args: Any) -> None:  # noqa: ARG001
        experiment.env = replay

    experiment.init_env = init_env
