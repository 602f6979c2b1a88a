# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The learning modules of an experiment, without its simulator."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import Any

from tbp.monty.backends.registry import BACKEND_VARIABLE
from tbp.monty.frameworks.run_env import setup_env
from tbp.monty.frameworks.utils.unpickle_model import RefusedModel
from tbp.monty.hydra import instantiate_experiment

from ..guard import Failed
from ..recording.config import compose
from ..recording.fed import remove_simulator
from .monty import planned_monty
from .planned import Planned

__all__ = ["planned_config", "planned_experiment"]

NOT_NEEDED = (
    *("init_loggers", "init_monty_data_loggers", "init_counters"),
    "load_environment_interfaces",
)
"""What an experiment sets up besides its Monty."""


def planned_experiment(name: str, overrides: Sequence[str]) -> Planned:
    """Return the learning modules of an experiment, with the models they load.

    Args:
        name: The experiment.
        overrides: Hydra overrides.
    """
    setup_env()
    return planned_config(compose(name, overrides).experiment, f"experiment={name}")


def planned_config(config: Any, title: str) -> Planned:
    """Return the learning modules of an experiment, with the models they load.

    Args:
        config: Its composed configuration; its environment is removed.
        title: What it is, for people.
    """
    remove_simulator(config)
    experiment: Any = instantiate_experiment(config)
    for method in NOT_NEEDED:
        setattr(experiment, method, lambda *_: None)
    # The backend that is planned may not be there.
    with _environment(BACKEND_VARIABLE, "null"):
        try:
            experiment.setup_experiment(experiment.config)
        except RefusedModel as reason:
            raise Failed(str(reason)) from reason
    planned = planned_monty(
        experiment.model,
        title,
        is_configured=config.config.monty_config.get("lm_groups") is not None,
    )
    experiment.model.close()
    return planned


@contextlib.contextmanager
def _environment(variable: str, value: str) -> Iterator[None]:
    """Set an environment variable for a while."""
    before = os.environ.get(variable)
    os.environ[variable] = value
    try:
        yield
    finally:
        del os.environ[variable]
        if before is not None:
            os.environ[variable] = before
