# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Composes the configuration of an experiment from the tbp.monty of this process."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hydra
from hydra.errors import HydraException
from omegaconf import OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

__all__ = ["BadConfig", "compose", "experiment_names", "without_simulator"]

SIMULATORS = "tbp.monty.simulators."
CLASS_OF_SIMULATOR = "${monty.class:" + SIMULATORS


class BadConfig(Exception):
    """Hydra cannot compose the experiment that was asked for."""


def compose(experiment: str, overrides: Sequence[str]) -> Any:
    """Composes the configuration, as upstream's own command does.

    Args:
        experiment: The name of the experiment's configuration.
        overrides: Hydra overrides.

    Returns:
        The configuration, with unresolved interpolations.

    Raises:
        BadConfig: If there is no such experiment, or an override does not fit.
    """
    importlib.import_module("tbp.monty.hydra")  # registers the resolvers
    try:
        with hydra.initialize_config_module("tbp.monty.conf", version_base=None):
            return hydra.compose(
                "experiment", overrides=[f"experiment={experiment}", *overrides]
            )
    except (HydraException, OmegaConfBaseException) as error:
        names = experiment_names(_conf_folder())
        if experiment not in names:
            near = difflib.get_close_matches(experiment, names, n=5, cutoff=0.5)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            raise BadConfig(f"no experiment is named {experiment!r}{hint}") from error
        # Hydra's first paragraph says what is wrong, the rest lists what there is.
        message = str(error).strip().partition("\n\n")[0]
        raise BadConfig(message) from error


def experiment_names(conf: Path) -> list[str]:
    """Returns the names of all experiments.

    Args:
        conf: The folder of Monty's configurations.
    """
    folder = conf / "experiment"
    return sorted(
        path.relative_to(folder).with_suffix("").as_posix()
        for path in folder.rglob("*.yaml")
    )


def without_simulator(experiment: Any, env_init_func: str) -> None:
    """Removes the simulator from an experiment, so that it is never imported.

    The arguments of the environment stay, because experiments read them (supervised
    training reads the sensors' positions there). The class `dict` replaces the
    simulator's classes in them.

    Args:
        experiment: The configuration of the experiment; it is changed.
        env_init_func: The dotted name of what replaces the environment.
    """
    environment = experiment.config.environment
    args = OmegaConf.to_container(environment.env_init_args, resolve=False)
    with open_dict(environment):
        environment.env_init_func = f"${{monty.class:{env_init_func}}}"
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


def _conf_folder() -> Path:
    return Path(importlib.import_module("tbp.monty.conf").__path__[0])
