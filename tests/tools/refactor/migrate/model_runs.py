# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs learning modules of a module of source, before and after its migration."""

from __future__ import annotations

import ast
import builtins
import functools
import logging
import textwrap
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

import numpy as np

from monty_tools.refactor.migrate.attributes import Attributes
from monty_tools.refactor.migrate.classes import Classes
from monty_tools.refactor.migrate.documents import Document
from monty_tools.refactor.migrate.migration import edits_of, look_at
from monty_tools.refactor.migrate.rule import Left, Project
from monty_tools.refactor.migrate.rules import split_override
from monty_tools.refactor.migrate.rules_in_order import RULES
from monty_tools.refactor.migrate.source import Edit, Source, applied
from tests.tools.refactor.migrate.model_lms import (
    TwoPhaseLM,
    UpstreamLM,
    step_as_monty_does,
)

__all__ = [
    "Migrated",
    "Run",
    "migrate",
    "models",
    "namespace",
    "run_in_order",
    "run_in_phases",
]

FILE = Path("/project/lms.py")


@dataclass(frozen=True)
class Migrated:
    """A module after its migration.

    Attributes:
        text: Its text.
        changes: How many changes were made.
        left: What was listed.
        filled: Its text, if overrides that stay whole become their templates; None if
            one of these is open.
    """

    text: str
    changes: int
    left: Sequence[Left]
    filled: str | None


def migrate(source: str, **modules: str) -> Migrated:
    """Migrate a module.

    Args:
        source: The module.
        **modules: Other modules of the project, by name.
    """
    others = {FILE.with_name(f"{name}.py"): text for name, text in modules.items()}
    classes = Classes({**others, FILE: source})
    project = Project(classes, Attributes(classes))
    places = look_at(Document(FILE, source, is_python=True), project, RULES)
    left = [place.found for _, place in places if isinstance(place.found, Left)]
    edits = edits_of(places)
    overrides = [
        (place.offset, place.found.advice.partition("\n\n")[2])
        for rule, place in places
        if rule == split_override.RULE and isinstance(place.found, Left)
    ]
    filled = None
    if all(template and "..." not in template for _, template in overrides):
        ends = _ends(source)
        for start, template in overrides:
            text = textwrap.indent(template, "    ").strip()
            edits.add(Edit(start, ends[start], text))
        filled = applied(source, edits)
    changes = len(places) - len(left)
    return Migrated(applied(source, edits_of(places)), changes, left, filled)


def _ends(source: str) -> dict[int, int]:
    """Return where functions end, by where they start."""
    module = Source(source)
    return {
        module.start(node): module.end(node)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef)
    }


def models() -> Iterator[type]:
    """Yield the fork's learning module, with each way to run its work."""
    for defers in (False, True):
        yield type("EvidenceGraphLM", (TwoPhaseLM,), {"defers": defers})


def namespace(source: str, base: type = UpstreamLM, **modules: str) -> dict[str, Any]:
    """Run a module; what it imports from tbp.monty is the model.

    Args:
        source: The module.
        base: The model.
        **modules: Other modules that it may import from, by name.
    """
    known = types.ModuleType("tbp")
    known.EvidenceGraphLM = base
    locks = types.ModuleType("threading")
    locks.Lock, locks.RLock = _Lock, _ReentrantLock

    def imported(name: str, *args: Any) -> types.ModuleType:
        if name in modules:
            module = types.ModuleType(name)
            module.__dict__.update(namespace(modules[name], base))
            return module
        if name.startswith("tbp."):
            return known
        return locks if name == "threading" else builtins.__import__(name, *args)

    names = {"__builtins__": {**vars(builtins), "__import__": imported}}
    names["__name__"] = __name__
    exec(_compiled(source), names)  # noqa: S102
    return names


@functools.lru_cache(maxsize=8)
def _compiled(source: str) -> types.CodeType:
    return compile(source, str(FILE), "exec", dont_inherit=True)


@dataclass(frozen=True)
class Run:
    """What steps of learning modules show.

    Attributes:
        ended: How they end.
        states: The state of each learning module afterwards.
    """

    ended: str
    states: Sequence[str]

    def agrees_with(self, other: Run) -> bool:
        """Return whether another run, in two phases, did the same.

        After an exception, only learning modules up to the one that raised it count:
        Monty ends there, and those after it may have begun their steps or not.
        """
        return self.ended == other.ended and all(
            mine == theirs
            for mine, theirs in zip(self.states, other.states, strict=False)
        )


def run_in_order(kinds: Sequence[type], plan: int) -> Run:
    """Step learning modules one after the other, as upstream does.

    Args:
        kinds: The class of each learning module.
        plan: Decides what fails, and which branches are taken.
    """
    stepped: list[Any] = []

    def step(lms: Sequence[Any], step_type: str, ctx: int, percepts: list[int]) -> None:
        stepped.clear()
        for lm in lms:
            stepped.append(lm)
            getattr(lm, step_type)(ctx, [*percepts])

    ran = _run(kinds, plan, step)
    return Run(ran.ended, ran.states[: len(stepped)])


def run_in_phases(kinds: Sequence[type], plan: int) -> Run:
    """Step learning modules in two phases, as the fork does."""
    return _run(kinds, plan, step_as_monty_does)


def _run(kinds: Sequence[type], plan: int, step: Callable[..., None]) -> Run:
    lms = [kind(plan) for kind in kinds]
    for number, lm in enumerate(lms):
        lm.learning_module_id = number
        lm.peers = lm.neighbors = lms
    ended: list[Any] = []
    logging.disable()  # of exceptions in work that was abandoned
    with np.errstate():
        for step_type in ("matching_step", "exploratory_step"):
            percepts = [plan % 7] * (plan % 3)
            try:
                step(lms, step_type, plan % 5, percepts)
            except TypeError:
                ended.append(TypeError)  # it names the half, or the whole
                break
            except Exception as error:  # noqa: BLE001
                ended.append((type(error), error.args))
                break
            # Steps return None, which Monty ignores. Split into halves, an override may
            # return a result of its base that it dropped.
            ended.append((percepts, np.geterr()))
    logging.disable(logging.NOTSET)
    # Compared as text: two exceptions are never equal.
    return Run(repr(ended), [repr(lm.seen()) for lm in lms])


class _Lock:
    """A lock that fails where a real one would wait forever."""

    def __init__(self) -> None:
        self._depth = 0

    def __enter__(self) -> int:
        if self._depth:
            raise RuntimeError("it would wait forever")
        return self._take()

    def __exit__(self, *_: object) -> None:
        self._depth -= 1

    def __repr__(self) -> str:
        return f"entered {self._depth} times"

    def _take(self) -> int:
        self._depth += 1
        return self._depth


class _ReentrantLock(_Lock):
    def __enter__(self) -> int:
        return self._take()
