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
from omegaconf.errors import OmegaConfBaseException

from ..ending import CouldNotRun

__all__ = ["BadConfig", "compose"]


class BadConfig(CouldNotRun):
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
        names = _experiment_names()
        if experiment not in names:
            near = difflib.get_close_matches(experiment, names, n=5, cutoff=0.5)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            raise BadConfig(f"no experiment is named {experiment!r}{hint}") from error
        # Hydra's first paragraph says what is wrong, the rest lists what there is.
        message = str(error).strip().partition("\n\n")[0]
        raise BadConfig(message) from error


def _experiment_names() -> list[str]:
    conf = importlib.import_module("tbp.monty.conf")
    folder = Path(conf.__path__[0]) / "experiment"
    return sorted(
        path.relative_to(folder).with_suffix("").as_posix()
        for path in folder.rglob("*.yaml")
    )
