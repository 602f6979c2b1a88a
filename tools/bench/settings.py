# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What to time."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .groups import Groups

__all__ = ["STEPS", "UPDATERS", "Settings"]

STEPS = {"default": 10, "burst_sampling": 40}
"""Steps of an episode, by updater. Burst sampling needs enough of them for the number
of hypotheses to rise and fall; with the default updater all steps are alike."""

UPDATERS = tuple(STEPS)


@dataclass(frozen=True)
class Settings:
    """What to time: the size of a Monty, and an episode.

    Attributes:
        lms: The number of learning modules.
        objects: The number of objects that each of them knows.
        updater: `default` or `burst_sampling`.
        steps: The steps of an episode.
        neighbors: The nearest nodes that a hypothesis is compared with, at most.
        threads: The threads a backend may use. None leaves the choice to the backend;
            1 also turns off upstream's one thread per object.
        seed: The seed of objects and percepts.
        nodes: The fewest and the most nodes of an object.
        groups: The learning modules of each group. None leaves the choice to the
            fork's Monty; upstream's has no groups.
        shares_objects: Whether all learning modules have the same nodes of an object;
            a Monty of thousands is then made in seconds.
        votes: About how many votes each learning module sends after a step, to all
            others. Then voting is timed, and not the step. Without, nobody votes.
    """

    lms: int = 5
    objects: int = 10
    updater: str = "burst_sampling"
    steps: int = STEPS["burst_sampling"]
    neighbors: int = 10
    threads: int | None = None
    seed: int = 0
    nodes: tuple[int, int] = (1600, 2000)
    groups: Groups | None = None
    votes: int | None = None
    shares_objects: bool = False

    def as_dict(self) -> dict[str, Any]:
        groups = self.groups and [list(group) for group in self.groups]
        return {**asdict(self), "nodes": list(self.nodes), "groups": groups}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Settings:
        groups = values["groups"] and tuple(map(tuple, values["groups"]))
        return cls(**{**values, "nodes": tuple(values["nodes"]), "groups": groups})
