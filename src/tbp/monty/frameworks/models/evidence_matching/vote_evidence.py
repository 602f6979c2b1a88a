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

import functools
from typing import TYPE_CHECKING, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.tables.vote_search import Found, nearest_votes
from tbp.monty.cmp import Message
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.resident_hypotheses import (
    ResidentHypotheses,
)
from tbp.monty.frameworks.models.evidence_matching.votes import vote_arrays

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = ["evidence_with_votes"]

_NEAREST = 3
"""How many votes may count for a hypothesis."""

_ROUNDING = 1e-12
"""Distances that differ by less may be equal, apart from rounding."""


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
    distances, nearest = _nearest(lm, hypotheses, locations)
    is_too_far = _are_too_far(lm, distances)
    # Without a vote: -inf.
    known = np.append(confidences, -np.inf)
    highest = np.where(is_too_far, -np.inf, known[nearest]).max(axis=1)
    has_vote = highest > -np.inf
    votes_of = np.where(has_vote, highest, 0.0) * lm.vote_weight
    total = hypotheses.evidence + votes_of
    if lm.past_weight + lm.present_weight == 1:
        # Keeps the evidence in the range of the votes.
        return total / np.where(has_vote, 1.0 + lm.vote_weight, 1.0)
    return total


def _nearest(
    lm: EvidenceGraphLM, hypotheses: Hypotheses, votes: npt.NDArray[np.float64]
) -> Found:
    """Return the votes that may count for each hypothesis.

    Args:
        lm: The learning module.
        hypotheses: The hypotheses.
        votes: Where the votes are, shape (n, 3).
    """
    count = min(_NEAREST, len(votes))
    search = (
        hypotheses.nearest_votes
        if isinstance(hypotheses, ResidentHypotheses)
        else functools.partial(nearest_votes, hypotheses.locations)
    )
    # One more than count, to see whether the last of them is one of several equally
    # near ones.
    distances, found = search(votes, count + 1, _reach(lm))
    last = distances[:, -1]
    distances, found = distances[:, :-1], found[:, :-1]
    with np.errstate(invalid="ignore"):
        is_tied = np.isfinite(last) & (last - distances[:, -1] <= _ROUNDING * last)
    is_at_the_edge = _are_too_far(lm, distances * (1 - _ROUNDING)) != _are_too_far(
        lm, distances * (1 + _ROUNDING)
    )
    unsure = np.flatnonzero(is_tied | is_at_the_edge.any(axis=1))
    if len(unsure):
        # Which vote is taken depends on how the whole tree is searched, and whether it
        # is near enough on how the tree rounds.
        locations = hypotheses.locations[unsure]
        distances[unsure], found[unsure] = nearest_votes(
            locations, votes, count, np.inf
        )
    return distances, found


def _are_too_far(
    lm: EvidenceGraphLM, distances: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        return lm._get_node_distance_weights(distances) <= 0


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
