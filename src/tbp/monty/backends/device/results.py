# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The results of updates on a device, by segment."""

from __future__ import annotations

from functools import cached_property
from typing import Sequence, Union

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.tables.segments import Hypothesis

__all__ = ["KnownResults", "Results"]

_Indices = Union[Sequence[int], "npt.NDArray[np.int64]"]


class Results:
    """The results of one update for its segments, by their position in its work.

    Attributes:
        highest: The highest evidence of each.
        most_likely: The first hypothesis that has it; -1 without hypotheses.
        second_most_likely: The hypothesis with the most evidence of the others; -1 if
            there is none, or if several have the same.
    """

    def __init__(self, results: npt.NDArray) -> None:
        self._results = results
        self.highest = results["highest"]
        self.most_likely = results["most_likely"]
        self.second_most_likely = results["second_most_likely"]

    @cached_property
    def highest_slopes(self) -> list[float]:
        """The highest finite slopes, or -inf; a list, as all of it is asked for."""
        return self._results["highest_slope"].tolist()

    @cached_property
    def _of_most_likely(self) -> tuple[npt.NDArray, npt.NDArray, npt.NDArray]:
        return _columns(self._results, "highest", "location", "pose")

    @cached_property
    def _of_second(self) -> tuple[npt.NDArray, npt.NDArray, npt.NDArray]:
        seconds = ("second_highest", "second_location", "second_pose")
        return _columns(self._results, *seconds)

    def hypothesis(self, position: int, place: int) -> Hypothesis | None:
        """Return a hypothesis, if it is one of the two."""
        if place == self.most_likely[position]:
            evidence, locations, poses = self._of_most_likely
        elif 0 <= place == self.second_most_likely[position]:
            evidence, locations, poses = self._of_second
        else:
            return None
        # Copies: they become the learning module's own.
        location, pose = locations[position].copy(), poses[position].copy()
        return Hypothesis(evidence[position], location, pose)


def _columns(
    results: npt.NDArray, evidence: str, location: str, pose: str
) -> tuple[npt.NDArray, npt.NDArray, npt.NDArray]:
    return results[evidence], results[location], results[pose].reshape(-1, 3, 3)


class KnownResults:
    """The result of each segment's last update, until the segment changes."""

    def __init__(self) -> None:
        self._results = np.zeros(0, dtype=np.object_)
        """For each segment the `Results` that have it, or None."""
        self._positions = np.zeros(0, dtype=np.int64)
        """And its position among them."""
        self._is_unknown = np.zeros(0, dtype=np.bool_)
        """Whether it has no hypotheses, or others than its last update has left."""
        self._together: tuple[list[int], Results] | None = None
        """The segments of the last update, unless one of them was forgotten."""
        self._positioned: npt.NDArray[np.int64] | None = None
        """Those that got a position last; the same array is not changed."""

    def add(self, count: int) -> None:
        """Add segments of which nothing is known."""
        zeros = np.zeros(count, dtype=np.int64)
        self._results = np.append(self._results, np.full(count, None))
        self._positions = np.append(self._positions, zeros)
        self._is_unknown = np.append(self._is_unknown, zeros != 0)

    def keep(self, segments: npt.NDArray[np.int64], results: npt.NDArray) -> None:
        """Know what an update has found out of segments."""
        kept = self._results[segments] = Results(results)
        self._together = segments.tolist(), kept
        if segments is not self._positioned:
            self._positions[segments] = np.arange(len(segments))
            self._positioned = segments
        self._is_unknown[segments] = kept.most_likely < 0

    def forget(self, segments: _Indices) -> None:
        """Forget all that is known of some segments."""
        self._together = None
        self._results[segments] = None

    def forget_most_likely(self, segments: _Indices) -> None:
        """Forget all but the slopes: these are of what was recorded."""
        self._is_unknown[segments] = True

    def of(self, segment: int) -> tuple[Results, int] | None:
        """Return what is known of a segment without reading it.

        Args:
            segment: The segment.

        Returns:
            Results, and the segment's position among them; None if it has changed
            since, or has no hypotheses.
        """
        known = self._results[segment]
        if known is None or self._is_unknown[segment]:
            return None
        return known, self._positions.item(segment)

    def highest_slopes(self, segments: _Indices) -> list[float | None]:
        """Return the highest slope of each segment; None where it is not known."""
        if self._together is not None and self._together[0] == [*segments]:
            return [*self._together[1].highest_slopes]
        known, positions = self._results[segments], self._positions[segments]
        return [
            None if one is None else one.highest_slopes[position]
            for one, position in zip(known.tolist(), positions.tolist(), strict=True)
        ]
