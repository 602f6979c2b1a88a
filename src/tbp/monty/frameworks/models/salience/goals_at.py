# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Goals for all locations that a salience sensor module sees."""

from __future__ import annotations

from itertools import repeat
from typing import Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.cmp import Goal

__all__ = ["goals_at"]


def goals_at(
    locations: npt.NDArray[np.float64],
    confidences: Sequence[float] | npt.NDArray[np.floating],
    sender_id: str,
) -> list[Goal]:
    """Return one goal for the motor system at each location.

    Args:
        locations: The locations, of shape (n, 3).
        confidences: The confidence of each goal.
        sender_id: The sensor module that proposes the goals.

    Returns:
        The goals, in the order of the locations.

    Raises:
        IndexError: If there are fewer confidences than locations.
    """
    if len(confidences) < len(locations):
        raise IndexError(f"{len(confidences)} confidences, {len(locations)} locations")
    return list(map(_goal_at, locations, confidences, repeat(sender_id)))


def _goal_at(
    location: npt.NDArray[np.float64], confidence: float, sender_id: str
) -> Goal:
    """Return a goal that has a location and no features.

    There may be one for each pixel. Three calls of constructors and hooks, which check
    nothing in goals without features, would take most of the time of a step, so the
    attributes are set here, in the order in which the constructor sets them.
    """
    goal: Goal = Goal.__new__(Goal)
    goal.goal_tolerances = None
    goal.info = {}
    goal.location = location
    # Message declares these as never None, and Goal does not widen that.
    goal.morphological_features = None  # type: ignore[assignment]
    goal.non_morphological_features = None  # type: ignore[assignment]
    goal.confidence = confidence
    goal.pass_message = False
    goal.sender_id = sender_id
    goal.sender_type = "SM"
    goal.process_features_in_lm = False
    goal.allowable_sender_types = _ALLOWABLE_SENDER_TYPES
    return goal


_ALLOWABLE_SENDER_TYPES = Goal(
    location=None,
    morphological_features=None,
    non_morphological_features=None,
    confidence=0.0,
    pass_message=False,
    sender_id="",
    sender_type="SM",
    process_features_in_lm=False,
    goal_tolerances=None,
).allowable_sender_types
