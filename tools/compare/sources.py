# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The two sides of a comparison: what runs, or a folder of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..guard import Failed
from ..machine import this_machine
from ..workers.sides import Paths, Side
from .figures import STATS, BadResults, Figures, figures_of, noted_time
from .runs import (
    Asked,
    Kept,
    finish,
    kept,
    run_in_one_process,
    run_in_parallel,
    start,
)

__all__ = ["FolderOfResults", "Outcome", "RunningSide", "Source"]


@dataclass(frozen=True)
class Outcome:
    """The results of a side for an experiment.

    Attributes:
        figures: What the run came to.
        kept: What is known of the run; None if another program ran it.
    """

    figures: Figures
    kept: Kept | None


class Source(Protocol):
    """A side of a comparison."""

    @property
    def name(self) -> str:
        """What to call it."""

    def problems(self, experiments: Sequence[str]) -> dict[str, str]:
        """Return the experiments that it cannot have results for, and why."""

    def outcome(self, experiment: str, doing: str) -> Outcome:
        """Return the results for an experiment.

        Args:
            experiment: One without problems.
            doing: What to show while it runs.

        Raises:
            Failed: If there are none.
        """


@dataclass(frozen=True)
class FolderOfResults:
    """A side whose runs have been made already.

    Attributes:
        folder: Holds the folders of the runs.
        may_be_one: Whether it may also be the folder of the only run.
    """

    folder: Path
    may_be_one: bool = False

    @property
    def name(self) -> str:
        return f"results in {self.folder}"

    def problems(self, experiments: Sequence[str]) -> dict[str, str]:
        found = ((name, self._problem(name)) for name in experiments)
        return {name: reason for name, reason in found if reason is not None}

    def outcome(self, experiment: str, _doing: str = "") -> Outcome:
        # A run's folder has the name that the config gives it, often the experiment's.
        places = [self.folder / experiment, self.folder / Path(experiment).name]
        places += [self.folder] if self.may_be_one else []
        for place in places:
            if (place / STATS).exists():
                return _read(place)
        raise BadResults(f"{places[0] / STATS} is missing")

    def _problem(self, experiment: str) -> str | None:
        try:
            self.outcome(experiment)
        except BadResults as problem:
            return str(problem)
        return None


class RunningSide:
    """A side that runs, and keeps its results in a folder per experiment."""

    def __init__(
        self, side: Side, paths: Paths, folder: Path, plans: Mapping[str, Asked | str]
    ) -> None:
        """Make a side.

        Args:
            side: What runs.
            paths: Where it is.
            folder: Where results are kept.
            plans: For each experiment what to run, or why it cannot run.
        """
        self._side = side
        self._paths = paths
        self._folder = folder
        self._plans = plans

    @property
    def name(self) -> str:
        return self._side.name

    def problems(self, experiments: Sequence[str]) -> dict[str, str]:
        plans = {name: self._plans[name] for name in experiments}
        for plan in plans.values():
            if isinstance(plan, Asked):
                self._check_place(plan)
        return {name: plan for name, plan in plans.items() if isinstance(plan, str)}

    def outcome(self, experiment: str, doing: str) -> Outcome:
        asked = self._plans[experiment]
        assert isinstance(asked, Asked)
        place = self._folder / experiment
        found = kept(place)
        if found is None or not found.finished:
            start(place, asked, this_machine())
            if asked.in_one_process:
                run_in_one_process(self._side, place, doing)
            else:
                seconds = run_in_parallel(self._side, self._paths, asked, place, doing)
                # The time of a run that was interrupted lacks its first part.
                finish(place, seconds if found is None else None)
        return _read(place)

    def _check_place(self, asked: Asked) -> None:
        """Check that other results are neither taken for this run's nor lost to it."""
        place = self._folder / asked.experiment
        found = kept(place)
        if found is None and (place / STATS).exists():
            raise Failed(f"{place} holds other results: choose another --out")
        if found is not None and found.asked != asked:
            difference = _difference(found.asked, asked)
            raise Failed(
                f"{place} holds results of another run, {difference}: "
                "choose another --out"
            )


def _read(place: Path) -> Outcome:
    found = kept(place)
    if found and not found.finished:
        raise BadResults(f"{place} holds a run that has not finished")
    wall_s = found.seconds if found else noted_time(place)
    return Outcome(figures_of(place, wall_s), found)


def _difference(found: Asked, asked: Asked) -> str:
    return ", ".join(
        f"with {name} {value!r} instead of {getattr(asked, name)!r}"
        for name, value in vars(found).items()
        if value != getattr(asked, name)
    )
