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

from typing import TYPE_CHECKING, Any, Sequence

from tbp.monty.backends import hypotheses
from tbp.monty.backends.hypotheses import VotesForGraph
from tbp.monty.cmp import Message
from tbp.monty.frameworks.models.evidence_matching.votes import Votes, vote_arrays

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = ["add_votes", "dispatch_votes", "votes_to_add"]


def dispatch_votes(
    monty: Any, monty_class: type, combined_votes: Sequence[Any]
) -> None:
    """Add the votes for all learning modules at once.

    Afterwards `receive_votes` finds that its votes were added, and does the rest. Votes
    for a learning module that somebody else routes or adds are left to it.

    Args:
        monty: The learning modules and how votes are sent to them.
        monty_class: The class that sends votes as it is known here.
        combined_votes: The votes for each learning module.
    """
    if not _is_of(monty_class, monty, "send_vote_to_lm"):
        return
    to_add: list[tuple[Votes, Hypotheses, VotesForGraph]] = []
    for lm, votes in zip(monty.learning_modules, combined_votes, strict=False):
        if hasattr(type(lm), "votes_to_add"):
            to_add += lm.votes_to_add(votes)
    hypotheses.add_votes([(of_graph, votes) for _, of_graph, votes in to_add])
    for for_graph, _, _ in to_add:
        for_graph.are_dispatched = True


def votes_to_add(
    lm: EvidenceGraphLM, lm_class: type[EvidenceGraphLM], votes: dict[str, Any]
) -> list[tuple[Votes, Hypotheses, VotesForGraph]]:
    """Return the votes that a learning module would add as its class does.

    Args:
        lm: The learning module.
        lm_class: The class.
        votes: The votes for each graph.

    Returns:
        The votes, and the hypotheses to which they are added.
    """
    if not (
        _is_of(lm_class, lm, "receive_votes")
        and _is_of(lm_class, lm, "_update_evidence_with_vote")
        and lm.buffer.get_num_observations_on_object() > 0
    ):
        return []
    return [
        (votes[graph_id], lm._hypotheses[graph_id], _for_graph(lm, lm_class, for_graph))
        for graph_id in lm.get_all_known_object_ids()
        if isinstance(for_graph := votes.get(graph_id), Votes)
        and for_graph.arrays is not None
        and len(for_graph)
        and graph_id in lm._hypotheses
    ]


def add_votes(
    lm: EvidenceGraphLM,
    lm_class: type[EvidenceGraphLM],
    votes: Sequence[Message],
    graph_id: str,
) -> None:
    """Add votes to the evidence of a graph's hypotheses, unless they were added.

    Args:
        lm: The learning module.
        lm_class: The class of which it overrides methods.
        votes: The votes for the graph.
        graph_id: The graph.
    """
    if not len(votes):
        return
    if isinstance(votes, Votes) and votes.are_dispatched:
        votes.are_dispatched = False
        return
    for_graph = _for_graph(lm, lm_class, votes)
    hypotheses.add_votes([(lm._hypotheses[graph_id], for_graph)])


def _for_graph(
    lm: EvidenceGraphLM, lm_class: type[EvidenceGraphLM], votes: Sequence[Message]
) -> VotesForGraph:
    has_own_weights = not _is_of(lm_class, lm, "_get_node_distance_weights")
    return VotesForGraph(
        *vote_arrays(votes),
        weight=lm.vote_weight,
        is_bounded=lm.past_weight + lm.present_weight == 1,
        distance=lm.max_match_distance,
        weights=lm._get_node_distance_weights if has_own_weights else None,
    )


def _is_of(known: type, instance: Any, method: str) -> bool:
    """Return whether an instance has a method as a class defines it."""
    bound = getattr(instance, method, None)
    return getattr(bound, "__func__", None) is getattr(known, method)
