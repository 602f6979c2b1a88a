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

from tbp.monty.backends.numpy.votes import VotesForGraph
from tbp.monty.backends.stacked.resident_rows import ResidentRows
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

    def only_at(self, place: int) -> OnlyHypothesis:
        """Return one hypothesis, without copying the others.

        A learning module reads its most likely hypothesis several times per step.
        While the hypotheses stay as they are, it gets the same arrays each time.

        Args:
            place: Which one.
        """
        last = self._read_last
        # Whoever has an array of all hypotheses may have written to it.
        if last is not None and last[0] == place and not self.arrays:
            self._settle("rows")
            return last[1]
        evidence, location, pose = self.hypothesis(place)
        only = OnlyHypothesis({place: evidence}, {place: location}, {place: pose})
        self._read_last = place, only
        return only

    def add_votes(self, votes: VotesForGraph) -> bool:
        self._read_last = None
        return super().add_votes(votes)

    def __reduce__(self) -> tuple[type, tuple[npt.NDArray[Any], ...]]:
        arrays = (self.evidence, self.locations, self.poses, self.possible)
        return Hypotheses, arrays
