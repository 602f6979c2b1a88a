# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Compares the behaviour of random learning modules before and after migration."""

from __future__ import annotations

import builtins
import types
import unittest
from collections import Counter
from pathlib import Path
from typing import Any, Callable

import pytest

from monty_tools.refactor.migrate.class_index import ClassIndex
from monty_tools.refactor.migrate.marks import marks_in
from monty_tools.refactor.migrate.rule import PythonFile, rewritten
from monty_tools.refactor.migrate.rules_in_order import RULES
from monty_tools.refactor.migrate.whole_overrides import WholeOverrides
from tbp.monty.backends.builtin.reference import ReferenceBackend
from tests.tools.refactor.migrate.model_lms import (
    DeferringBackend,
    TwoPhaseLM,
    UpstreamLM,
    step_as_monty_does,
)
from tests.tools.refactor.migrate.random_projects import CLASSES, random_project

FILE = Path("/project/lms.py")
PLANS = (0, 5, 77, 1234)
MIGRATED_TWICE = 5
"""One in so many modules is migrated again: parsing takes most of the time."""


class EquivalenceTest(unittest.TestCase):
    """Migration does not change the behaviour of learning modules."""

    def check(self, seeds: range) -> None:
        outcomes: Counter[str] = Counter()
        for seed in seeds:
            source = random_project(seed)
            with self.subTest(seed=seed):
                outcomes += compared(source, twice=seed % MIGRATED_TWICE == 0)
        # Refusing everything would pass, too. If an override is refused, so are those
        # above it; hence there are nearly as many marks.
        self.assertGreater(outcomes["converted"], len(seeds))
        self.assertGreater(outcomes["converted"], outcomes["marked"] / 2)


def _add_tests() -> None:
    """Divide the modules among tests that workers can run in parallel.

    A module has 1.8 classes on average, and each class is run with every plan: 100
    modules are seven hundred cases, all modules are thirteen thousand.
    """
    for start in range(0, 1_800, 100):

        def test(self: EquivalenceTest, start: int = start) -> None:
            self.check(range(start, start + 100))

        name = f"test_{start:05}_and_following"
        marked = pytest.mark.all_configs(test) if start >= 100 else test
        setattr(EquivalenceTest, name, marked)


_add_tests()


def compared(source: str, twice: bool = True) -> Counter[str]:
    """Migrate a module, and compare what its classes do.

    Args:
        source: The module.
        twice: Whether to check that migrating it again changes nothing.

    Returns:
        How many overrides were converted, and how many were marked.
    """
    migrated, converted = migrate(source)
    if twice:
        assert migrate(migrated) == (migrated, 0), migrated
    before = namespace(source, UpstreamLM)
    for backend in (ReferenceBackend, DeferringBackend):
        base = type("EvidenceGraphLM", (TwoPhaseLM,), {"backend_class": backend})
        after = namespace(migrated, base)
        unmigrated = namespace(source, base)
        for name in CLASSES:
            if name not in before:
                continue
            for plan in PLANS:
                expected = run(before[name], plan, whole)
                for kind in (after[name], unmigrated[name]):
                    # A learning module that mixes both forms is not constructed.
                    assert expected == run(kind, plan, whole), migrated
                    assert expected == run(kind, plan, step_as_monty_does), migrated
    return Counter(converted=converted, marked=len(marks_in(migrated)))


def migrate(source: str) -> tuple[str, int]:
    index = ClassIndex({FILE: source})
    file = PythonFile(FILE, index, WholeOverrides(index, RULES).in_the_way)
    text, changes = rewritten(source, file, RULES)
    return text, len(changes)


def namespace(source: str, base: type) -> dict[str, Any]:
    """Run a module; what it imports from tbp.monty is the model."""

    def imported(name: str, *args: Any) -> types.ModuleType:
        if not name.startswith("tbp."):
            return builtins.__import__(name, *args)
        module = types.ModuleType(name)
        module.EvidenceGraphLM = base
        return module

    names = {"__builtins__": {**vars(builtins), "__import__": imported}}
    names["__name__"] = __name__
    exec(compile(source, str(FILE), "exec", dont_inherit=True), names)  # noqa: S102
    return names


def whole(lm: Any, method: str, *arguments: Any) -> Any:
    return getattr(lm, method)(*arguments)


def run(kind: type, plan: int, call: Callable[..., Any]) -> str:
    """Return what two steps show: how they end, their effects, and the order."""
    lm = kind(plan)
    ended = []
    for method in ("matching_step", "exploratory_step"):
        percepts = [plan % 7] * (plan % 3)
        try:
            call(lm, method, plan % 5, percepts)
            # The result is not compared: Monty ignores it, as steps return None. Split
            # into halves, an override may return a result of its base that it dropped.
            ended.append("returned")
        except Exception as error:  # noqa: BLE001
            ended.append(("raised", type(error), error.args))
    # Compared as text: two exceptions are never equal.
    return repr((ended, lm.seen()))
