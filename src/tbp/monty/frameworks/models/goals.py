# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Goals of a sensor module as arrays, and as objects when somebody reads them."""

from __future__ import annotations

from itertools import chain
from operator import attrgetter
from typing import Any, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.cmp import Goal
from tbp.monty.frameworks.models.buffer import BufferEncoder

__all__ = ["Goals", "GoalsOfSensor", "goals_from", "highest_confidence"]

SENDER_TYPE = "SM"


class GoalsOfSensor(Sequence[Goal]):
    """A goal for the motor system at each of many locations.

    A goal is made when it is read, and only once, so that all readers get the same.
    """

    def __init__(
        self,
        locations: npt.NDArray[np.float64],
        confidences: npt.NDArray[np.floating],
        sender_id: str,
    ) -> None:
        self._locations = locations
        self.confidences = confidences
        self._sender_id = sender_id
        self._made: dict[int, Goal] = {}

    def __len__(self) -> int:
        return len(self._locations)

    def __getitem__(self, index: Any) -> Any:
        rows = range(len(self))[index]
        return self._goal(rows) if isinstance(rows, int) else [*map(self._goal, rows)]

    def _goal(self, row: int) -> Goal:
        if row not in self._made:
            self._made[row] = Goal(
                location=self._locations[row],
                morphological_features=None,
                non_morphological_features=None,
                confidence=self.confidences[row],
                pass_message=False,
                sender_id=self._sender_id,
                sender_type=SENDER_TYPE,
                process_features_in_lm=False,
                goal_tolerances=None,
            )
        return self._made[row]


class Goals(Sequence[Goal]):
    """Goals of several senders, in the order in which they were added."""

    def __init__(self, *parts: Iterable[Goal]) -> None:
        self.parts: list[list[Goal] | GoalsOfSensor] = []
        for part in parts:
            self.extend(part)

    def extend(self, goals: Iterable[Goal]) -> None:
        """Add goals."""
        if isinstance(goals, Goals):
            self.parts += goals.parts
        else:
            self.parts.append(goals if isinstance(goals, GoalsOfSensor) else [*goals])

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[Goal]:
        return chain.from_iterable(self.parts)

    def __getitem__(self, index: Any) -> Any:
        return [*self][index]


BufferEncoder.register(GoalsOfSensor, list)


def goals_from(goals: Sequence[Goal], sender_type: str) -> Sequence[Goal]:
    """Return the goals whose sender has a type."""
    if isinstance(goals, Goals):
        return Goals(*(goals_from(part, sender_type) for part in goals.parts))
    if isinstance(goals, GoalsOfSensor):
        return goals if sender_type == SENDER_TYPE else []
    return [goal for goal in goals if goal.sender_type == sender_type]


def highest_confidence(goals: Sequence[Goal]) -> Goal:
    """Return the goal with the highest confidence; of several, the first."""
    if isinstance(goals, Goals):
        goals = [highest_confidence(part) for part in goals.parts if part]
    if isinstance(goals, GoalsOfSensor):
        return goals[int(np.argmax(goals.confidences))]
    return max(goals, key=attrgetter("confidence"))
