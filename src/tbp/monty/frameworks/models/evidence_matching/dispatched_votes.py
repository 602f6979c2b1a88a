# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Dispatches votes to backends before any learning module processes its votes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

from tbp.monty.frameworks.models.evidence_matching.resident_hypotheses import (
    ResidentHypotheses,
)
from tbp.monty.frameworks.models.evidence_matching.votes import VotesByObject

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.graph_matching import MontyForGraphMatching

__all__ = ["dispatch_votes"]


def dispatch_votes(monty: MontyForGraphMatching, combined_votes: Sequence[Any]) -> None:
    """Hand the votes for all learning modules to their backends.

    Afterwards `receive_votes` finds that its votes were dispatched, and processes them.
    Votes for a learning module that somebody else routes or adds are left to it, and so
    are those for hypotheses that no backend holds.

    Args:
        monty: The learning modules and how votes are sent to them.
        combined_votes: The votes for each learning module.
    """
    # Imported here, because these modules import this one.
    from tbp.monty.frameworks.models import graph_matching  # noqa: PLC0415
    from tbp.monty.frameworks.models.evidence_matching import (  # noqa: PLC0415
        learning_module,
    )

    if not _is_own(monty, graph_matching.MontyForGraphMatching, "send_vote_to_lm"):
        return
    known = learning_module.EvidenceGraphLM
    lms: Sequence[Any] = monty.learning_modules
    for lm, votes in zip(lms, combined_votes, strict=False):
        if (
            isinstance(votes, VotesByObject)
            and votes.arrays is not None
            and _is_own(lm, known, "receive_votes")
            and _is_own(lm, known, "_update_evidence_with_vote")
            and lm.buffer.get_num_observations_on_object() > 0
        ):
            _dispatch(lm, votes)


def _dispatch(lm: Any, votes: VotesByObject) -> None:
    for graph_id in lm.get_all_known_object_ids():
        for_graph = votes.get(graph_id)
        if for_graph is not None and isinstance(
            lm._hypotheses.get(graph_id), ResidentHypotheses
        ):
            lm._update_evidence_with_vote(for_graph, graph_id)
            for_graph.are_dispatched = True


def _is_own(instance: Any, known: type, method: str) -> bool:
    """Return whether an instance has a method as a class defines it."""
    bound = getattr(instance, method, None)
    return getattr(bound, "__func__", None) is getattr(known, method)
