# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Montys on the backend `null`: those of experiments, and synthetic ones."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

from tbp.monty.backends.registry import BACKEND_VARIABLE
from tbp.monty.frameworks.run_env import setup_env
from tbp.monty.frameworks.utils.unpickle_model import RefusedModel
from tbp.monty.hydra import instantiate_experiment

from ..bench.scenario import make_scenario
from ..bench.settings import Settings
from ..bench.system import System
from ..guard import Failed
from ..recording.config import compose
from ..recording.fed import remove_simulator

__all__ = ["monty_of", "synthetic_monty"]

ON_NULL = {BACKEND_VARIABLE: "null"}
NOT_NEEDED = (
    *("init_loggers", "init_monty_data_loggers", "init_counters"),
    "load_environment_interfaces",
)
"""What an experiment sets up besides its Monty."""


def monty_of(name: str, overrides: Sequence[str]) -> Any:
    """Returns the Monty of an experiment, with its models, without its simulator.

    Args:
        name: The experiment.
        overrides: Hydra overrides.
    """
    setup_env()
    config = compose(name, overrides).experiment
    remove_simulator(config)
    experiment: Any = instantiate_experiment(config)
    for method in NOT_NEEDED:
        setattr(experiment, method, lambda *_: None)
    with patch.dict(os.environ, ON_NULL):
        try:
            experiment.setup_experiment(experiment.config)
        except RefusedModel as reason:
            raise Failed(str(reason)) from reason
    return experiment.model


def synthetic_monty(settings: Settings) -> Any:
    """Returns a Monty that knows synthetic objects, as `monty bench` makes it."""
    with patch.dict(os.environ, ON_NULL):
        return System(settings, make_scenario(settings)).monty
