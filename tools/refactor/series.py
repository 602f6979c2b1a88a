# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The series: every change to upstream, in order.

A step is a file in `steps`. It says which part it belongs to and which step it needs.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace
from itertools import chain
from typing import Iterable, Iterator, Mapping

from . import steps
from .step import Step

__all__ = ["ALL", "PARTS", "SERIES", "in_order", "steps_through"]

ALL = "all"
"""The name for all parts."""


def in_order(found: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps of a part, each after the one that it needs, else by name.

    Raises:
        ValueError: If a step needs one that the part does not have.
    """
    left = sorted(found, key=lambda step: step.name)
    done = {""}
    while left:
        ready = next((step for step in left if step.after in done), None)
        if ready is None:
            lacking = ", ".join(f"{step.name} needs {step.after}" for step in left)
            raise ValueError(f"no such step, or a circle: {lacking}")
        yield ready
        left.remove(ready)
        done.add(ready.name)


def _found() -> Iterator[Step]:
    for module in pkgutil.iter_modules(steps.__path__):
        found = importlib.import_module(f"{steps.__name__}.{module.name}")
        yield replace(found.STEP, name=module.name)


_STEPS = list(_found())

PARTS: Mapping[str, tuple[Step, ...]] = {
    part: tuple(in_order(step for step in _STEPS if step.part == part))
    # In `perf`, each step applies without the others, in any order.
    for part in ("core", "fork", "perf")
}
"""The steps by part, in the order in which they would be proposed to upstream."""

SERIES: tuple[Step, ...] = tuple(chain.from_iterable(PARTS.values()))


def steps_through(part: str) -> tuple[Step, ...]:
    """Return the steps of a part, after those of the parts before it.

    Args:
        part: A part, or `ALL`.
    """
    if part == ALL:
        return SERIES
    parts = list(PARTS)
    return tuple(
        chain.from_iterable(PARTS[one] for one in parts[: parts.index(part) + 1])
    )
