# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The cost of the learning modules' phase, on upstream and on the fork.

One group per updater and size, one row per side. The reset before an episode is not
timed. `monty bench lm-phase` measures the same with all sides in turns.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from monty_tools.bench.agreement import End, check_agreement
from monty_tools.bench.measure import measure
from monty_tools.bench.report import rows
from monty_tools.bench.scenario import make_scenario
from monty_tools.bench.settings import STEPS, UPDATERS, Settings
from monty_tools.bench.side import Side
from monty_tools.refactor.fork import make_fork
from monty_tools.refactor.layout import build_folder
from monty_tools.refactor.upstream import obtain
from monty_tools.workers.sides import Paths

SIDES = ("upstream", "reference")
SIZES = {"1 LM x 1 object": (1, 1), "1 LM x 10 objects": (1, 10)}
ROUNDS = 7
MOST_THAT_REFERENCE_MAY_COST = 1.05


@pytest.fixture(scope="module")
def paths() -> Paths:
    return Paths(obtain().import_root, make_fork(), build_folder() / "recordings")


@pytest.fixture(scope="module", params=UPDATERS)
def updater(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module", params=SIZES)
def settings(request: pytest.FixtureRequest, updater: str) -> Settings:
    lms, objects = SIZES[request.param]
    return Settings(lms, objects, updater, STEPS[updater])


@pytest.fixture(scope="module")
def scenario(settings: Settings) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.npz"
        make_scenario(settings).save(file)
        yield file


@pytest.fixture(scope="module")
def ends() -> dict[Settings, End]:
    """The end state of the first side; the others must reach the same."""
    return {}


@pytest.mark.parametrize("name", SIDES)
def test_an_episode(
    benchmark: BenchmarkFixture,
    name: str,
    paths: Paths,
    settings: Settings,
    scenario: Path,
    ends: dict[Settings, End],
) -> None:
    benchmark.group = (
        f"{settings.steps} steps of {settings.lms} learning modules that know "
        f"{settings.objects} objects, {settings.updater} updater"
    )
    with Side(name, paths, settings, scenario) as side:
        side.describe()

        def begin() -> None:
            side.begin()

        benchmark.pedantic(
            side.run, setup=begin, rounds=ROUNDS, warmup_rounds=1, iterations=1
        )
        end = End(name, "the last round", side.end())
    check_agreement(ends.setdefault(settings, end), end)


@pytest.mark.parametrize("updater", UPDATERS)
def test_reference_costs_at_most_5_percent_more_than_upstream(
    paths: Paths, updater: str
) -> None:
    settings = Settings(lms=5, objects=10, updater=updater, steps=STEPS[updater])
    _, reference = rows(measure(SIDES, paths, settings, ROUNDS), settings)
    cost = 1 / reference["ratio"]
    print(f"reference costs {cost:.3f} times what upstream does, {updater} updater")
    assert cost <= MOST_THAT_REFERENCE_MAY_COST
