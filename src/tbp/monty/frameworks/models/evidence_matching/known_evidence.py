# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a backend knows of the evidence, so that nobody has to read all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

import numpy as np
import numpy.typing as npt

from tbp.monty.frameworks.models.evidence_matching.resident_hypotheses import (
    ResidentHypotheses,
)

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = ["highest_known_slope", "known_evidence", "most_likely_known_graph"]


def known_evidence(
    lm: EvidenceGraphLM,
) -> tuple[list[str], npt.NDArray[np.float64]] | None:
    """Return the highest evidence of each graph, if the backend knows all of them.

    Args:
        lm: The learning module.

    Returns:
        The graphs that have hypotheses, and their highest evidence; None if the
        hypotheses must be read, because they are not those that the backend updated.
    """
    hypotheses = lm._hypotheses
    first = next(iter(hypotheses.values()), None)
    if type(first) is not ResidentHypotheses or first.highest is None:
        return None
    known = first.highest.now(lm.get_all_known_object_ids(), hypotheses)
    return known if known is not None and known[0] else None


def most_likely_known_graph(lm: EvidenceGraphLM, graph_id: str | None) -> str | None:
    """Return the graph of the most likely hypothesis, if the backend knows it.

    Args:
        lm: The learning module.
        graph_id: The graph that was asked for; if there is one, it is returned.

    Returns:
        The first graph with the highest evidence; None if it must be searched for.
    """
    known = known_evidence(lm) if graph_id is None else None
    if known is None:
        return graph_id
    graph_ids, highest = known
    return graph_ids[int(np.argmax(highest))]


def highest_known_slope(trackers: Mapping[str, Any]) -> float | None:
    """Return the highest finite slope of all hypotheses, if the backend knows it.

    Args:
        trackers: The slope trackers of the hypotheses, by graph.

    Returns:
        The slope, -inf if no hypothesis has one; None if slopes must be read.
    """
    highest = -np.inf
    for tracker in trackers.values():
        ask = getattr(tracker, "highest_slope", None)
        slope = None if ask is None else ask()
        if slope is None:
            return None
        highest = max(highest, slope)
    return highest
