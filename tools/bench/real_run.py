# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Times whole runs that a recording feeds, in turns, without reading their state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..recording.cache import SUFFIX
from ..recording.file import Recording
from ..recording.overrides import run_of
from ..recording.times import Times, rounds_of
from ..recording.tolerance import tolerance_of
from ..temporary import temporary_folder
from ..workers.control import Job, go
from ..workers.sides import Paths, Run, side_named
from .agreement import Disagreement
from .measure import turns
from .side import CouldNotBench

__all__ = [
    "Recorded",
    "TimedRun",
    "TimedSide",
    "check_end",
    "read_recorded",
    "time_runs",
]


@dataclass(frozen=True)
class Recorded:
    """A recorded run.

    Attributes:
        path: The recording.
        run: What was run.
        end: How the run ended: in words, after how many episodes and steps.
    """

    path: Path
    run: Run
    end: Mapping[str, Any]


@dataclass(frozen=True)
class TimedRun:
    """The times of a run.

    Attributes:
        start_s: The seconds from the start of the process to Monty's first step.
        times: The times of each episode, and of what followed the last one.
    """

    start_s: float
    times: Times


@dataclass
class TimedSide:
    """The times of a side, one run per round.

    Attributes:
        name: The name of the side.
        version: The version of its tbp.monty.
        runs: The runs, in the order of the rounds.
    """

    name: str
    version: str = ""
    runs: list[TimedRun] = field(default_factory=list)

    @property
    def starts_s(self) -> list[float]:
        return [run.start_s for run in self.runs]

    def seconds(self, part: str) -> list[float]:
        """Return the seconds of a part of Monty in each round."""
        return [sum(episode[part] for episode in run.times) for run in self.runs]


def read_recorded(path: Path, *, trusted: bool = False) -> Recorded:
    """Return what a recording says about its run.

    Args:
        path: The recording.
        trusted: Whether it may ask for anything.

    Raises:
        CouldNotBench: If there is nothing to time.
    """
    with Recording(path) as recording:
        end = _end_of(recording)
        if not recording.complete or end is None:
            raise CouldNotBench(
                f"{path}: the recorded run was interrupted: record it again"
            )
        if not end["steps"]:
            raise CouldNotBench(f"{path}: the recorded run has no steps to time")
        return Recorded(path.resolve(), run_of(recording, trusted=trusted), end)


def time_runs(
    names: Sequence[str], paths: Paths, recorded: Recorded, rounds: int
) -> list[TimedSide]:
    """Time sides on a recording: all of them in every round, each in a new process.

    Args:
        names: The sides, `upstream` or names of backends.
        paths: Where upstream and the fork are.
        recorded: The run to repeat.
        rounds: The number of rounds.

    Returns:
        What was timed, in the order of the names.

    Raises:
        Disagreement: If a side did not do what was recorded.
    """
    sides = {name: TimedSide(name) for name in names}
    with temporary_folder() as folder:
        write = folder / f"timed{SUFFIX}"
        for i, name in turns(names, rounds):
            job = Job(
                side_named(name, paths),
                recorded.run,
                write,
                feed=recorded.path,
                tolerance=tolerance_of(name),
                state=False,
            )
            go([job], f"round {i + 1} of {rounds}, feeding")
            with Recording(write) as timed:
                check_end(f"{name} (round {i + 1})", timed, recorded)
                sides[name].version = timed.manifest["tbp.monty"]
                sides[name].runs.append(_timed_run(timed))
    return list(sides.values())


def _timed_run(timed: Recording) -> TimedRun:
    [start] = [event for event in timed.events() if event["event"] == "start"]
    [times] = rounds_of(timed) or [[]]
    return TimedRun(start["seconds"], times)


def _end_of(recording: Recording) -> dict[str, Any] | None:
    ends = [event for event in recording.events() if event["event"] == "end"]
    return ends[-1] if ends else None


def check_end(side: str, timed: Recording, recorded: Recorded) -> None:
    """Check that a side did what was recorded.

    Args:
        side: What to call it.
        timed: What it did.
        recorded: The recorded run.

    Raises:
        Disagreement: If it did not.
    """
    found = _end_of(timed)
    if found != recorded.end:
        raise Disagreement(
            f"{side} {_in_words(found)}; the recorded run {_in_words(recorded.end)}; "
            "they did not do the same, so their times mean nothing"
        )


def _in_words(end: Mapping[str, Any] | None) -> str:
    if end is None:
        return "did not end"
    after = f"after {end['episodes']} episodes and {end['steps']} steps"
    words = f"{end['ending']} {after}"
    if "expected" in end:
        words += f" (expected {end['expected']}, found {end['found']})"
    if "type" in end:
        words += f" ({end['type']}: {end['message']})"
    return words
