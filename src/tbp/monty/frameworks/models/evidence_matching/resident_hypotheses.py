# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses whose arrays a backend holds."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple

import numpy as np
import numpy.typing as npt
from typing_extensions import Self

from tbp.monty.backends.numpy.votes import VotesForGraph
from tbp.monty.backends.stacked.resident_rows import ResidentRows
from tbp.monty.backends.tables.displacing import displaced_location
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses

__all__ = ["OnlyHypothesis", "ResidentHypotheses"]


class OnlyHypothesis(NamedTuple):
    """Hypotheses of which one is known, by its place."""

    evidence: Mapping[int, Any]
    locations: Mapping[int, npt.NDArray[np.float64]]
    poses: Mapping[int, npt.NDArray[np.float64]]


class ResidentHypotheses(ResidentRows, Hypotheses):
    """Hypotheses whose arrays a backend holds.

    A copy or a pickle of it is a plain `Hypotheses`.
    """

    _read_last: tuple[int, OnlyHypothesis] | None = None
    _moves_included = 0
    """How many of the displacements are included in what was read last."""

    def only_at(self, place: int) -> OnlyHypothesis:
        """Return one hypothesis, without copying the others.

        A learning module reads its most likely hypothesis several times per step.
        While the hypotheses stay as they are, it gets the same arrays each time. After
        a displacement, only the location is new.

        Args:
            place: Which one.
        """
        last, displacements = self._read_last, self.displacements
        # Whoever has an array of all hypotheses may have written to it.
        if last is None or last[0] != place or self.arrays:
            evidence, location, pose = self.hypothesis(place)
            only = OnlyHypothesis({place: evidence}, {place: location}, {place: pose})
        else:
            self._settle("rows")
            only = last[1]
            if len(displacements) == self._moves_included:
                return only
            evidence, locations, poses = only
            location = displaced_location(
                locations[place], poses[place], displacements[self._moves_included :]
            )
            only = OnlyHypothesis(evidence, {place: location}, poses)
        self._read_last, self._moves_included = (place, only), len(displacements)
        return only

    def displaced(self, displacement: npt.NDArray[np.float64]) -> Self:
        rows = super().displaced(displacement)
        if rows.displacements:  # ours and one more
            rows._read_last = self._read_last
            rows._moves_included = self._moves_included
        return rows

    def add_votes(self, votes: VotesForGraph) -> bool:
        self._read_last = None
        return super().add_votes(votes)

    def __reduce__(self) -> tuple[type, tuple[npt.NDArray[Any], ...]]:
        arrays = (self.evidence, self.locations, self.poses, self.possible)
        return Hypotheses, arrays
