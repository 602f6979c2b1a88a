# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adds votes to the evidence of hypotheses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Sequence

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

from tbp.monty.cmp import Message
from tbp.monty.frameworks.models.evidence_matching.votes import vote_arrays

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = ["evidence_with_votes"]

_NEAREST = 3
"""How many votes may count for a hypothesis."""


def evidence_with_votes(
    lm: EvidenceGraphLM, votes: Sequence[Message], graph_id: str
) -> npt.NDArray[np.float64]:
    """Return the evidence of a graph's hypotheses after votes.

    A hypothesis gets the highest of the nearest votes that are near enough. Without
    any, its evidence stays.

    Args:
        lm: The learning module.
        votes: The votes for the graph.
        graph_id: The graph.
    """
    hypotheses = lm._hypotheses[graph_id]
    if not len(votes):
        return hypotheses.evidence
    locations, confidences = vote_arrays(votes)
    nearest = _Nearest(locations, lm._get_node_distance_weights, _reach(lm))
    # Without a vote: -inf.
    highest = nearest.highest(confidences, hypotheses.locations)
    has_vote = highest > -np.inf
    votes_of = np.where(has_vote, highest, 0.0) * lm.vote_weight
    total = hypotheses.evidence + votes_of
    if lm.past_weight + lm.present_weight == 1:
        # Keeps the evidence in the range of the votes.
        return total / np.where(has_vote, 1.0 + lm.vote_weight, 1.0)
    return total


class _Nearest:
    """Finds the nearest votes."""

    def __init__(
        self,
        locations: npt.NDArray[np.float64],
        distance_weights: Callable,
        reach: float,
    ) -> None:
        """Make a tree of votes.

        Args:
            locations: Where the votes are, shape (n, 3).
            distance_weights: Tells weights by distance; votes without count nothing.
            reach: How far a vote with a weight may be.
        """
        self._tree = KDTree(locations, leafsize=40)
        self._count = min(_NEAREST, len(locations))
        self._distance_weights = distance_weights
        self._reach = reach

    def highest(
        self,
        confidences: npt.NDArray[np.float64],
        locations: npt.NDArray[np.float64],
    ) -> npt.NDArray[np.float64]:
        """Return the highest confidence near each location, or -inf."""
        # One more than count, to see whether the last of them is one of several
        # equally near ones. Those that are beyond reach are not searched for.
        distances, votes = self._query(locations, self._count + 1, self._reach)
        is_tied = distances[:, -2] == distances[:, -1]
        is_tied &= np.isfinite(distances[:, -1])
        distances, votes = distances[:, :-1], votes[:, :-1]
        tied = np.flatnonzero(is_tied)
        if len(tied):
            # Which of them is taken depends on how the whole tree is searched.
            found = self._query(locations[tied], self._count, np.inf)
            distances[tied], votes[tied] = found
        with np.errstate(invalid="ignore"):
            is_too_far = self._distance_weights(distances) <= 0
        known = np.append(confidences, -np.inf)
        return np.where(is_too_far, -np.inf, known[votes]).max(axis=1)

    def _query(
        self, locations: npt.NDArray[np.float64], count: int, reach: float
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
        return self._tree.query(
            locations, k=range(1, count + 1), distance_upper_bound=reach
        )


def _reach(lm: EvidenceGraphLM) -> float:
    # Imported here: it imports this module.
    from tbp.monty.frameworks.models.evidence_matching import (  # noqa: PLC0415
        learning_module,
    )

    weights = learning_module.EvidenceGraphLM._get_node_distance_weights
    is_known = getattr(lm._get_node_distance_weights, "__func__", None) is weights
    distance = lm.max_match_distance
    # A little further: the tree compares squares.
    return distance * (1 + 1e-9) if is_known and distance > 0 else np.inf
