# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The parts of a Monty as data, and a Monty made from this data.

A blueprint is a configuration with every reference resolved. As in Hydra, a dictionary
that names a class under ``_target_`` stands for an object of that class; here it is
made without Hydra.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..recording.kinds import class_named

__all__ = ["NotTraceable", "blueprint", "build"]

TARGET = "_target_"
OF_HYDRA = {"_partial_", "_args_", "_recursive_"}
"""Hydra's other ways to make an object, which no learning module uses."""


class NotTraceable(Exception):
    """The run has something that a trace cannot hold."""


def blueprint(config: Any, where: str = "") -> Any:
    """Returns a configuration as plain data.

    Args:
        config: A part of a configuration.
        where: What it is called in an error message.

    Returns:
        Dictionaries, lists and values. Objects that resolvers made (arrays, classes)
        are kept.

    Raises:
        NotTraceable: If it asks Hydra for more than an object of a class.
    """
    if isinstance(config, Mapping):
        found = OF_HYDRA.intersection(config)
        if found:
            raise NotTraceable(f"{where} uses Hydra's {', '.join(sorted(found))}")
        return {
            key: blueprint(config[key], f"{where}.{key}")
            for key in config
            if key != "_convert_"
        }
    if isinstance(config, Sequence) and not isinstance(config, str):
        return [blueprint(item, f"{where}[{i}]") for i, item in enumerate(config)]
    return config


def build(plan: Any) -> Any:
    """Makes what a blueprint describes."""
    if isinstance(plan, dict):
        made = {key: build(item) for key, item in plan.items() if key != TARGET}
        return class_named(plan[TARGET])(**made) if TARGET in plan else made
    if isinstance(plan, list):
        return [build(item) for item in plan]
    return plan
