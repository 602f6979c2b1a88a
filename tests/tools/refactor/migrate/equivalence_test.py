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

import itertools
import unittest
from collections import Counter
from typing import Sequence

import pytest

from tbp.monty.frameworks.models.honoured_overrides import MixedOverrides
from tests.tools.refactor.migrate.lab_module import LAB
from tests.tools.refactor.migrate.model_lms import UpstreamLM
from tests.tools.refactor.migrate.model_runs import (
    migrate,
    models,
    namespace,
    run_in_order,
    run_in_phases,
)
from tests.tools.refactor.migrate.random_projects import (
    CLASSES,
    RandomProject,
    random_project,
)

PLANS = (5, 8, 1240)
SAMPLE, MODULES = 20, 10_000
IN_A_TEST = 50
NEVER_RAN = repr([TypeError])
"""How an override ends that has the signature of an earlier release."""
LEAST_SHARE = 1 / 20
"""Of the overrides that are changed or listed, more must be changed."""
MIGRATED_TWICE = 10
"""One in so many modules is migrated again: parsing takes most of the time."""


class EquivalenceTest(unittest.TestCase):
    """Migration does not change the behaviour of learning modules."""

    def test_a_sample(self) -> None:
        self.check(range(SAMPLE))

    def check(self, seeds: range) -> None:
        outcomes: Counter[str] = Counter()
        for seed in seeds:
            project = random_project(seed)
            with self.subTest(seed=seed):
                outcomes += compared(project, twice=seed % MIGRATED_TWICE == 0)
        # Listing everything would pass, too.
        share = outcomes["converted"] / (outcomes["converted"] + outcomes["left"])
        self.assertGreater(share, LEAST_SHARE)
        self.assertGreater(outcomes["filled"], 0)


def _add_tests() -> None:
    """Divide the modules among tests that workers can run in parallel."""
    for start in range(0, MODULES, IN_A_TEST):

        def test(self: EquivalenceTest, start: int = start) -> None:
            self.check(range(start, start + IN_A_TEST))

        name = f"test_{start:05}_and_following"
        setattr(EquivalenceTest, name, pytest.mark.thorough(test))


_add_tests()


def compared(project: RandomProject, twice: bool = True) -> Counter[str]:
    """Migrate a module, and compare what its classes do.

    Args:
        project: The module.
        twice: Whether to check that migrating it again changes nothing.

    Returns:
        How many overrides were converted, and how many were marked.
    """
    source = project.source
    done = migrate(source, lab=LAB)
    migrated, left = done.text, done.left
    if twice:
        again = migrate(migrated, lab=LAB)
        assert (again.text, again.changes) == (migrated, 0), migrated
    if not done.changes:
        assert migrated == source
    names = [name for name in CLASSES if f"class {name}(" in source]
    trios = [[name] * 3 for name in names]
    if len(names) > 1:
        trios.append([*names, *names][:3])
    for plan, trio in itertools.product(PLANS, trios):
        expected = run_in_order(classes(trio, source), plan)
        if expected.ended == NEVER_RAN:
            assert left, migrated
            continue
        for base in models():
            whole = run_in_order(classes(trio, migrated, base), plan)
            assert expected == whole, migrated
            actual = run_in_phases(classes(trio, migrated, base), plan)
            if not expected.agrees_with(actual):
                # Phases alone change it: a part of the step depends on other learning
                # modules, and is overridden while the whole step is not.
                assert left, migrated
                assert actual == run_in_phases(classes(trio, source, base), plan)
    filled = 0
    if done.filled not in (None, migrated) and not project.hazardous:
        filled = compared_if_filled(source, done.filled, names)
    return Counter(filled=filled, converted=done.changes, left=len(left))


def compared_if_filled(source: str, filled: str, names: Sequence[str]) -> int:
    """Compare a module with one whose overrides became what is proposed."""
    for name, plan in itertools.product(names, PLANS):
        expected = run_in_order(classes([name] * 3, source), plan)
        for base in models():
            try:
                actual = run_in_phases(classes([name] * 3, filled, base), plan)
            except MixedOverrides:
                return 0  # one of them does not call super()
            assert expected.agrees_with(actual), f"{filled}\n{expected}\n{actual}"
    return 1


def classes(names: Sequence[str], source: str, base: type = UpstreamLM) -> list[type]:
    """Run a module anew, as modules have state, and return some of its classes."""
    module = namespace(source, base, lab=LAB)
    return [module[name] for name in names]
