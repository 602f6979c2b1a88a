# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Goals of sensor modules as arrays, and as objects for those who read objects."""

from __future__ import annotations

from collections import UserList
from operator import attrgetter
from typing import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.cmp import Goal
from tbp.monty.frameworks.models.buffer import BufferEncoder

__all__ = ["Goals", "goals_at", "goals_from", "highest_confidence"]

_confidence = attrgetter("confidence")


class _GoalsOfSensor:
    """A goal for the motor system at each of many locations.

    A goal is made when it is read, and only once, so that all readers get the same.
    """

    sender_type = "SM"

    def __init__(
        self,
        locations: npt.NDArray[np.float64],
        confidences: npt.NDArray[np.floating],
        sender_id: str,
    ) -> None:
        self._locations = locations
        self._confidences = confidences
        self._sender_id = sender_id
        self._made: dict[int, Goal] = {}

    def __len__(self) -> int:
        return len(self._locations)

    def all(self) -> list[Goal]:
        """Return the goals, in the order of the locations."""
        return [self._goal(row) for row in range(len(self))]

    def with_highest_confidence(self) -> Goal:
        """Return the goal with the highest confidence; of several, the first."""
        row = int(np.argmax(self._confidences))
        if self.is_changed() or np.isnan(self._confidences[row]):
            return max(self.all(), key=_confidence)
        return self._goal(row)

    def _goal(self, row: int) -> Goal:
        if row not in self._made:
            self._made[row] = Goal(
                location=self._locations[row],
                morphological_features=None,
                non_morphological_features=None,
                confidence=self._confidences[row],
                pass_message=False,
                sender_id=self._sender_id,
                sender_type=self.sender_type,
                process_features_in_lm=False,
                goal_tolerances=None,
            )
        return self._made[row]

    def is_changed(self) -> bool:
        """Return whether a reader gave a goal another confidence or sender."""
        return any(
            goal.confidence != self._confidences[row]
            or goal.sender_type != self.sender_type
            for row, goal in self._made.items()
        )


class Goals(UserList[Goal]):
    """A list of goals that makes the goals of sensor modules when they are read.

    There may be one for each pixel, and of all of them often only one is read.
    """

    def __init__(self, goals: Iterable[Goal] | None = None) -> None:
        self._parts: list[list[Goal] | _GoalsOfSensor] = []
        if goals is not None:
            self.extend(goals)

    @property
    def data(self) -> list[Goal]:
        """All goals as objects: the list that the methods of a list work on."""
        first = self._parts[0] if len(self._parts) == 1 else None
        if isinstance(first, list):
            return first
        goals = [goal for part in self._parts for goal in _read(part)]
        self._parts = [goals]
        return goals

    @data.setter
    def data(self, goals: list[Goal]) -> None:
        self._parts = [goals]

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __copy__(self) -> Goals:
        return Goals(self)

    def clear(self) -> None:
        self._parts = []

    def extend(self, goals: Iterable[Goal]) -> None:
        # To rule `Goals` out takes longer: its base class is abstract.
        if isinstance(goals, (list, tuple)) or not isinstance(goals, Goals):
            if read := list(goals):
                self._parts.append(read)
            return
        self._parts += [
            part.copy() if isinstance(part, list) else part for part in goals._parts
        ]

    def sent_by(self, sender_type: str) -> Goals:
        """Return the goals of sensor modules ("SM") or of goal generators ("GSG")."""
        goals = Goals()
        for part in self._parts:
            if isinstance(part, list) or part.is_changed():
                read = _read(part)
                goals.extend(one for one in read if one.sender_type == sender_type)
            elif part.sender_type == sender_type:
                goals._parts.append(part)
        return goals

    def with_highest_confidence(self) -> Goal:
        """Return the goal with the highest confidence; of several, the first."""
        best = [
            max(part, key=_confidence)
            if isinstance(part, list)
            else part.with_highest_confidence()
            for part in self._parts
            if len(part)
        ]
        return max(best, key=_confidence)


BufferEncoder.register(Goals, list)


def goals_at(
    locations: npt.NDArray[np.float64],
    confidences: npt.NDArray[np.floating],
    sender_id: str,
) -> Goals:
    """Return one goal for the motor system at each location.

    Args:
        locations: The locations, of shape (n, 3). Nobody may change them later.
        confidences: The confidence of each goal. Nobody may change them later.
        sender_id: The sensor module that proposes the goals.

    Returns:
        The goals, in the order of the locations.

    Raises:
        IndexError: If there are fewer confidences than locations.
    """
    if len(confidences) < len(locations):
        raise IndexError(f"{len(confidences)} confidences, {len(locations)} locations")
    goals = Goals()
    used = confidences[: len(locations)]
    goals._parts.append(_GoalsOfSensor(locations, used, sender_id))
    return goals


def goals_from(goals: Sequence[Goal], sender_type: str) -> Sequence[Goal]:
    """Return the goals whose sender has a type."""
    if isinstance(goals, Goals):
        return goals.sent_by(sender_type)
    return [goal for goal in goals if goal.sender_type == sender_type]


def highest_confidence(goals: Sequence[Goal]) -> Goal:
    """Return the goal with the highest confidence; of several, the first."""
    if isinstance(goals, Goals):
        return goals.with_highest_confidence()
    return max(goals, key=_confidence)


def _read(part: list[Goal] | _GoalsOfSensor) -> list[Goal]:
    return part if isinstance(part, list) else part.all()
