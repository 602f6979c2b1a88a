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

from tbp.monty.backends.stacked.handed_out import HypothesesByGraph
from tbp.monty.backends.stacked.trackers import TrackersByGraph
from tbp.monty.backends.tables.segments import Hypothesis
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.resident_hypotheses import (
    ResidentHypotheses,
)

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = [
    "highest_known_slope",
    "how_many",
    "known_evidence",
    "most_likely",
    "one_at",
    "second_most_likely",
]

_ByGraph = Mapping[str, Hypotheses]


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
    if not isinstance(hypotheses, HypothesesByGraph):
        return None
    graph_ids = lm.get_all_known_object_ids()
    known = hypotheses.handed_out.highest_now(graph_ids, hypotheses)
    return None if known is None else (list(known[0]), known[1].copy())


def most_likely(
    lm: EvidenceGraphLM, graph_id: str | None
) -> tuple[str | None, np.intp | None]:
    """Return which hypothesis has the highest evidence.

    Args:
        lm: The learning module.
        graph_id: The graph to look in; None for all.

    Returns:
        The graph, the first with the highest evidence; None if the backend does not
        know it, and all must be searched. And which of its hypotheses, if it has any.
    """
    if graph_id is None:
        known = known_evidence(lm)
        if known is None:
            return None, None
        graph_id = known[0][int(known[1].argmax())]
    of_graph = _to_ask(lm._hypotheses, graph_id)
    if isinstance(of_graph, ResidentHypotheses):
        return graph_id, of_graph.most_likely
    evidence = of_graph.evidence
    return graph_id, np.argmax(evidence) if len(evidence) else None


def second_most_likely(hypotheses: _ByGraph, graph_id: str) -> np.intp:
    """Return which hypothesis of a graph has the second highest evidence.

    Args:
        hypotheses: All hypotheses of a learning module.
        graph_id: The graph, which has at least two.

    Returns:
        Its place. If several have the same evidence, `np.argsort` decides.
    """
    of_graph, known = _to_ask(hypotheses, graph_id), None
    if isinstance(of_graph, ResidentHypotheses):
        known = of_graph.second_most_likely
    return np.argsort(hypotheses[graph_id].evidence)[-2] if known is None else known


def one_at(hypotheses: _ByGraph, graph_id: str, place: int) -> Hypothesis:
    """Return one hypothesis of a graph, without copying the others.

    Args:
        hypotheses: All hypotheses of a learning module.
        graph_id: The graph.
        place: Which of its hypotheses.
    """
    # To count from the end, the arrays are read.
    if place >= 0 and isinstance(hypotheses, HypothesesByGraph):
        of_graph = hypotheses.to_ask(graph_id)
    else:
        of_graph = hypotheses[graph_id]
    if isinstance(of_graph, ResidentHypotheses):
        return of_graph.hypothesis(place)
    evidence, locations = of_graph.evidence, of_graph.locations
    return Hypothesis(evidence[place], locations[place], of_graph.poses[place])


def how_many(hypotheses: _ByGraph, graph_id: str) -> int:
    """Return how many hypotheses a graph has, without reading them.

    To read the evidence would copy it, and write it back before the next update,
    because the reader may have changed it.

    Args:
        hypotheses: All hypotheses of a learning module.
        graph_id: The graph.
    """
    of_graph = _to_ask(hypotheses, graph_id)
    if isinstance(of_graph, ResidentHypotheses):
        return of_graph.count
    return len(of_graph.evidence)


def _to_ask(hypotheses: _ByGraph, graph_id: str) -> Hypotheses:
    if isinstance(hypotheses, HypothesesByGraph):
        return hypotheses.to_ask(graph_id)
    return hypotheses[graph_id]


def highest_known_slope(trackers: Mapping[str, Any]) -> float | None:
    """Return the highest finite slope of all hypotheses, if the backend knows it.

    Args:
        trackers: The slope trackers of the hypotheses, by graph.

    Returns:
        The slope, -inf if no hypothesis has one; None if slopes must be read.
    """
    if isinstance(trackers, TrackersByGraph):
        return trackers.highest_slope()
    return None
