# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adds the votes of others to the evidence of hypotheses."""

from __future__ import annotations

from typing import Callable, NamedTuple, Tuple

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

__all__ = [
    "NEAREST",
    "ROUNDING",
    "VotesForGraph",
    "evidence_with_votes",
]

NEAREST = 3
"""How many votes may count for a hypothesis."""

ROUNDING = 1e-12
"""Distances that differ by less may be equal, apart from rounding."""

_Found = Tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]
"""For each location the distances of the nearest votes, the nearest first, and which
votes these are; infinity and the number of votes where there are not so many. Both have
the shape (locations, count)."""


class VotesForGraph(NamedTuple):
    """The votes for a graph, and how they count.

    Attributes:
        locations: Where they are, shape (n, 3).
        confidences: Shape (n,).
        weight: How much a vote counts.
        is_bounded: Whether evidence stays in the range of the votes.
        distance: How far a vote may be.
        weights: Returns the weights of distances, where a learning module has its own.
            Votes whose weight is not above 0 are too far.
    """

    locations: npt.NDArray[np.float64]
    confidences: npt.NDArray[np.float64]
    weight: float
    is_bounded: bool
    distance: float
    weights: Callable[[npt.NDArray], npt.NDArray] | None = None

    @property
    def reach(self) -> float:
        """How far to search for votes; infinity for all."""
        if self.weights is not None or not self.distance > 0:
            return np.inf
        # A little further: the tree compares squares.
        return self.distance * (1 + 1e-9)

    def are_too_far(self, distances: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Return which votes do not count."""
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.weights is not None:
                return self.weights(distances) <= 0
            return (self.distance - distances) / self.distance <= 0


def evidence_with_votes(
    evidence: npt.NDArray[np.float64],
    locations: npt.NDArray[np.float64],
    votes: VotesForGraph,
) -> npt.NDArray[np.float64]:
    """Return the evidence of hypotheses after votes.

    A hypothesis gets the highest of the nearest votes that are near enough. Without
    any, its evidence stays.

    Args:
        evidence: The evidence before, shape (n,).
        locations: Where the hypotheses are, shape (n, 3).
        votes: The votes.
    """
    distances, nearest = _nearest(locations, votes)
    # Without a vote: -inf.
    known = np.append(votes.confidences, -np.inf)
    is_too_far = votes.are_too_far(distances)
    highest = np.where(is_too_far, -np.inf, known[nearest]).max(axis=1)
    has_vote = highest > -np.inf
    total = evidence + np.where(has_vote, highest, 0.0) * votes.weight
    if votes.is_bounded:
        return total / np.where(has_vote, 1.0 + votes.weight, 1.0)
    return total


def _search(
    locations: npt.NDArray[np.float64],
    votes: npt.NDArray[np.float64],
    count: int,
    reach: float,
) -> _Found:
    """Search votes with a tree.

    Args:
        locations: Where the hypotheses are, shape (n, 3).
        votes: Where the votes are, shape (m, 3).
        count: How many votes to look for.
        reach: How far they may be; infinity for all.

    Returns:
        The nearest votes.
    """
    tree = KDTree(votes, leafsize=40)
    return tree.query(locations, k=range(1, count + 1), distance_upper_bound=reach)


def _nearest(locations: npt.NDArray[np.float64], votes: VotesForGraph) -> _Found:
    """Return the votes that may count for each hypothesis."""
    count = min(NEAREST, len(votes.locations))
    # One more than count, to see whether the last of them is one of several equally
    # near ones.
    distances, found = _search(locations, votes.locations, count + 1, votes.reach)
    last = distances[:, -1]
    distances, found = distances[:, :-1], found[:, :-1]
    with np.errstate(invalid="ignore"):
        is_tied = np.isfinite(last) & (last - distances[:, -1] <= ROUNDING * last)
    is_at_the_edge = votes.are_too_far(distances * (1 - ROUNDING)) != votes.are_too_far(
        distances * (1 + ROUNDING)
    )
    unsure = np.flatnonzero(is_tied | is_at_the_edge.any(axis=1))
    if len(unsure):
        # Which vote is taken depends on how the whole tree is searched, and whether it
        # is near enough on how the tree rounds.
        distances[unsure], found[unsure] = _search(
            locations[unsure], votes.locations, count, np.inf
        )
    return distances, found
