# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Adds votes to the evidence of hypotheses, first those that backends hold."""

from __future__ import annotations

from typing import Any, Sequence

from tbp.monty.backends.numpy.votes import VotesForGraph, evidence_with_votes
from tbp.monty.cmp import Message
from tbp.monty.frameworks.models.evidence_matching.resident_hypotheses import (
    ResidentHypotheses,
)
from tbp.monty.frameworks.models.evidence_matching.votes import Votes, vote_arrays

__all__ = ["add_votes", "dispatch_votes"]


def dispatch_votes(monty: Any, combined_votes: Sequence[Any]) -> None:
    """Hand the votes for all learning modules to their backends.

    Afterwards `receive_votes` finds that its votes were dispatched, and processes them.
    Votes for a learning module that somebody else routes or adds are left to it, and so
    are those for hypotheses that no backend holds.

    Args:
        monty: The learning modules and how votes are sent to them.
        combined_votes: The votes for each learning module.
    """
    # Imported here, because that module imports this one.
    from tbp.monty.frameworks.models.graph_matching import (  # noqa: PLC0415
        MontyForGraphMatching,
    )

    if not _is_own(monty, MontyForGraphMatching, "send_vote_to_lm"):
        return
    for lm, votes in zip(monty.learning_modules, combined_votes, strict=False):
        if (
            _is_own(lm, _evidence_lm(), "receive_votes")
            and _is_own(lm, _evidence_lm(), "_update_evidence_with_vote")
            and lm.buffer.get_num_observations_on_object() > 0
        ):
            _dispatch(lm, votes)


def _dispatch(lm: Any, votes: dict[str, Any]) -> None:
    for graph_id in lm.get_all_known_object_ids():
        for_graph = votes.get(graph_id)
        if (
            isinstance(for_graph, Votes)
            and for_graph.arrays is not None
            and isinstance(lm._hypotheses.get(graph_id), ResidentHypotheses)
        ):
            add_votes(lm, for_graph, graph_id)
            for_graph.are_dispatched = True


def add_votes(lm: Any, votes: Sequence[Message], graph_id: str) -> None:
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
    has_own_weights = not _is_own(lm, _evidence_lm(), "_get_node_distance_weights")
    for_graph = VotesForGraph(
        *vote_arrays(votes),
        weight=lm.vote_weight,
        is_bounded=lm.past_weight + lm.present_weight == 1,
        distance=lm.max_match_distance,
        weights=lm._get_node_distance_weights if has_own_weights else None,
    )
    hypotheses = lm._hypotheses[graph_id]
    if isinstance(hypotheses, ResidentHypotheses) and hypotheses.add_votes(for_graph):
        return
    hypotheses.evidence = evidence_with_votes(
        hypotheses.evidence, hypotheses.locations, for_graph
    )


def _evidence_lm() -> type:
    # Imported here, because that module imports this one.
    from tbp.monty.frameworks.models.evidence_matching import (  # noqa: PLC0415
        learning_module,
    )

    return learning_module.EvidenceGraphLM


def _is_own(instance: Any, known: type, method: str) -> bool:
    """Return whether an instance has a method as a class defines it."""
    bound = getattr(instance, method, None)
    return getattr(bound, "__func__", None) is getattr(known, method)
