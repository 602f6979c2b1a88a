# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Times sides in turns, and checks after each turn that they did the same."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..guard import interrupts_held
from ..temporary import temporary_folder
from ..workers.sides import Paths
from .agreement import End, check_agreement
from .scenario import make_scenario
from .settings import Settings
from .side import Side

__all__ = ["Measured", "measure", "turns"]

T = TypeVar("T")

ROUND_S = 0.5
"""The least duration of a round, unless it would need more than `MOST_EPISODES`.

After another side's round the processor's caches are cold and a GPU has slowed down. A
side that takes seconds warms up by itself; one that takes milliseconds would not."""

MOST_EPISODES = 20


@dataclass
class Measured:
    """What was measured of a side.

    Attributes:
        name: The name of the side.
        version: The version of its tbp.monty.
        hypotheses: How many there are after each step, in all learning modules.
        votes: How many votes are sent after each step, by all learning modules.
        rounds_s: The seconds of each round: all steps of its median episode.
        step_s: For each round, the seconds of each step.
        cpu_s: The processor seconds of each round, summed over all threads. They show
            the cost of a round on a machine that others use too.
        reset_s: The seconds of each reset before a round; not part of `rounds_s`.
        loaded_mib: The peak memory of its process when memory was loaded.
        peak_mib: The peak memory of its process after the last round.
    """

    name: str
    version: str = ""
    hypotheses: list[int] = field(default_factory=list)
    votes: list[int] = field(default_factory=list)
    step_s: list[list[float]] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    reset_s: list[float] = field(default_factory=list)
    loaded_mib: float = 0.0
    peak_mib: float = 0.0

    @property
    def rounds_s(self) -> list[float]:
        return [sum(times) for times in self.step_s]

    @property
    def median_s(self) -> float:
        return statistics.median(self.rounds_s)


def measure(
    names: Sequence[str],
    paths: Paths,
    settings: Settings,
    rounds: int,
    on_progress: Callable[[str], None] = lambda _doing: None,
) -> list[Measured]:
    """Time sides.

    An untimed episode warms each side up and gives the numbers of hypotheses. Then
    every round runs episodes of every side, each time in another order, so that other
    load on the machine affects all sides alike. A round is one episode, or as many as
    fit into `ROUND_S`; the median of these counts.

    Args:
        names: The sides, `upstream` or names of backends. All are compared with the
            first one.
        paths: Where upstream and the fork are.
        settings: What to time.
        rounds: The number of rounds.
        on_progress: Called with what was done, `(rounds + 1) * len(names) + 1` times.

    Returns:
        What was measured, in the order of the names.
    """
    measured = {name: Measured(name) for name in names}
    with ExitStack() as stack:
        folder = stack.enter_context(temporary_folder())
        scenario = folder / "scenario.npz"
        make_scenario(settings).save(scenario)
        on_progress("objects")
        # An interrupt between the start of a process and the entry of its context
        # would leave the process running.
        with interrupts_held():
            sides = [
                stack.enter_context(Side(name, paths, settings, scenario))
                for name in names
            ]
        # All of them first, so that one that cannot run fails before minutes pass.
        for side in sides:
            found = side.describe()
            measured[side.name].version = found["version"]
            measured[side.name].loaded_mib = found["peak_mib"]
        ends: list[End] = []
        for side in sides:
            ends.append(_warm_up(side, measured[side.name]))
            check_agreement(ends[0], ends[-1])
            on_progress(f"{side.name}, warming up")
        for i, side in turns(sides, rounds):
            end = _run_round(side, measured[side.name], f"round {i + 1}")
            check_agreement(ends[0], end)
            on_progress(f"{side.name}, round {i + 1}")
    return list(measured.values())


def turns(sides: Sequence[T], rounds: int) -> Iterator[tuple[int, T]]:
    """Yield each side once per round, with the number of the round, from 0.

    In each round another side is the first, so that other load on the machine affects
    all sides alike.
    """
    for i in range(rounds):
        first = i % len(sides)
        for side in (*sides[first:], *sides[:first]):
            yield i, side


def _warm_up(side: Side, measured: Measured) -> End:
    side.begin()
    found = side.trace()
    trace, measured.votes = found["trace"], found["votes"]
    measured.hypotheses = [sum(lm["hypotheses"] for lm in step) for step in trace]
    return End(side.name, "warming up", side.end(), trace)


def _run_round(side: Side, measured: Measured, when: str) -> End:
    episodes: list[dict[str, Any]] = []
    while len(episodes) < MOST_EPISODES and sum(map(_seconds, episodes)) < ROUND_S:
        episodes.append({**side.begin(), **side.run()})
    median = sorted(episodes, key=_seconds)[(len(episodes) - 1) // 2]
    measured.reset_s.append(median["reset_s"])
    measured.step_s.append(median["step_s"])
    measured.cpu_s.append(median["cpu_s"])
    state = side.end()
    measured.peak_mib = state["peak_mib"]
    return End(side.name, when, state)


def _seconds(episode: dict[str, Any]) -> float:
    return sum(episode["step_s"])
