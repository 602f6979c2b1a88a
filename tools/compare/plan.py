# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What to run on a side, and what cannot run there."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..workers.control import ask
from ..workers.sides import UPSTREAM, Side
from .kept import Asked
from .suites import is_name

__all__ = ["Plan", "Settings", "needs_workers", "plans"]

Plan = Asked | str
"""What to run, or why it cannot run."""


@dataclass(frozen=True)
class Settings:
    """How all experiments run.

    Attributes:
        episodes: Which episodes, as upstream's parallel runner reads it; None for all.
        workers: How many episodes run at a time.
    """

    episodes: str | None
    workers: int


def plans(
    sides: Sequence[tuple[Side, tuple[str, ...]]],
    experiments: Sequence[str],
    settings: Settings,
) -> list[dict[str, Plan]]:
    """Return what the sides run.

    Args:
        sides: The sides, with their Hydra overrides.
        experiments: The experiments.
        settings: How they run.

    Returns:
        A plan per experiment, for each of the sides.
    """
    names = [name for name in experiments if is_name(name)]
    answers = {}
    for side, overrides in sides:
        # The fork has upstream's configs, so one side can answer for both.
        if names and overrides not in answers:
            print(
                f"checking whether {len(names)} experiments can run here",
                file=sys.stderr,
            )
            words = [f"--override={one}" for one in overrides]
            if settings.episodes is not None:
                words.append(f"--episodes={settings.episodes}")
            found = ask(side, "compare.check", [*words, "--", *names])
            answers[overrides] = dict(zip(names, found, strict=True))
    return [
        {
            name: _plan(side, overrides, name, answers[overrides][name], settings)
            if name in names
            else "this is not the name of an experiment"
            for name in experiments
        }
        for side, overrides in sides
    ]


def needs_workers(plan: Plan) -> bool:
    """Return whether a run needs workers, and so Ray."""
    return isinstance(plan, Asked) and not plan.in_one_process


def _plan(
    side: Side,
    overrides: tuple[str, ...],
    name: str,
    answer: dict[str, Any],
    settings: Settings,
) -> Plan:
    if "reason" in answer:
        return str(answer["reason"])
    in_one_process = bool(answer["in_one_process"])
    at_a_time = 1 if in_one_process else settings.workers
    return Asked(
        side.name,
        _version(side),
        name,
        overrides,
        settings.episodes,
        at_a_time,
        in_one_process,
    )


def _version(side: Side) -> str:
    if side.name != UPSTREAM:
        return importlib.import_module("tbp.monty").__version__
    root = str(side.import_root)
    [found] = importlib.metadata.distributions(name="tbp.monty", path=[root])
    return found.version
