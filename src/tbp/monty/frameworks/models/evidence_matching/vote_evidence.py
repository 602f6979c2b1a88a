# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adds votes to the evidence of a learning module's hypotheses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Sequence

import numpy.typing as npt

from tbp.monty.backends.numpy.votes import VotesForGraph, evidence_with_votes
from tbp.monty.cmp import Message
from tbp.monty.frameworks.models.evidence_matching.resident_hypotheses import (
    ResidentHypotheses,
)
from tbp.monty.frameworks.models.evidence_matching.votes import Votes, vote_arrays

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = ["add_votes"]


def add_votes(lm: EvidenceGraphLM, votes: Sequence[Message], graph_id: str) -> None:
    """Add votes to the evidence of a graph's hypotheses.

    Args:
        lm: The learning module.
        votes: The votes for the graph.
        graph_id: The graph.
    """
    if not len(votes):
        return
    if isinstance(votes, Votes) and votes.are_dispatched:
        votes.are_dispatched = False
        return
    hypotheses = lm._hypotheses[graph_id]
    for_graph = VotesForGraph(
        *vote_arrays(votes),
        weight=lm.vote_weight,
        is_bounded=lm.past_weight + lm.present_weight == 1,
        distance=lm.max_match_distance,
        weights=_own_distance_weights(lm),
    )
    if isinstance(hypotheses, ResidentHypotheses) and hypotheses.add_votes(for_graph):
        return
    hypotheses.evidence = evidence_with_votes(
        hypotheses.evidence, hypotheses.locations, for_graph
    )


def _own_distance_weights(
    lm: EvidenceGraphLM,
) -> Callable[[npt.NDArray], npt.NDArray] | None:
    """Return how a learning module weighs distances, if not as this class does."""
    # Imported here, because that module imports this one.
    from tbp.monty.frameworks.models.evidence_matching import (  # noqa: PLC0415
        learning_module,
    )

    weights = lm._get_node_distance_weights
    known = learning_module.EvidenceGraphLM._get_node_distance_weights
    return None if getattr(weights, "__func__", None) is known else weights
