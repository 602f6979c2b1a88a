# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Checks that this machine has the data, models and backend that a config names."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from ..guard import Failed
from ..models.converted import find_converted

__all__ = ["check_backend", "check_data", "model_file"]

VARIABLES = ("MONTY_DATA", "MONTY_MODELS")
OTHERWISE = ("logging", "model_name_or_path")


def check_data(cfg: Any) -> None:
    """Checks the paths of a config.

    Raises:
        Failed: If something is not here.
    """
    config = OmegaConf.to_container(cfg.experiment.config, resolve=True)
    assert isinstance(config, dict)
    model = config.get("model_name_or_path")
    lacks_model = model and model_file(Path(model)) is None
    # What a run writes may be below these folders too.
    others = [config[key] for key in config if key not in OTHERWISE]
    roots = [Path(os.environ[name]) for name in VARIABLES]
    missing = [
        *([f"the model {model}"] if lacks_model else []),
        *(
            f"the data {path}"
            for path in _paths(others)
            if any(root in path.parents for root in roots) and not path.exists()
        ),
    ]
    if missing:
        raise Failed(f"lacks {' and '.join(missing)}")


def check_backend(cfg: Any) -> None:
    """Checks that the chosen backend can be used.

    Raises:
        Failed: If it cannot.
    """
    try:
        registry = importlib.import_module("tbp.monty.backends.registry")
    except ModuleNotFoundError:
        return  # upstream has none
    configured = OmegaConf.select(cfg.experiment.config, "monty_config.backend")
    try:
        registry.load_backend(registry.chosen_backend(configured))
    except (registry.BackendUnavailable, registry.UnknownBackend) as problem:
        raise Failed(str(problem)) from problem


def model_file(path: Path) -> Path | None:
    """Returns the file of the model that a config names; None if it is not here."""
    if "model.pt" not in path.parts:
        path /= "model.pt"
    return path if path.is_file() else find_converted(path)


def _paths(node: Any) -> Iterator[Path]:
    if isinstance(node, dict):
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            yield from _paths(item)
    elif isinstance(node, str) and os.sep in node:
        yield Path(node)
