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
    "known_evidence",
    "most_likely_known_graph",
    "row_by_row",
    "second_most_likely",
]


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
    highest = hypotheses.handed_out.highest
    if highest is None:
        return None
    known = highest.now(lm.get_all_known_object_ids(), hypotheses)
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
    return graph_ids[int(highest.argmax())]


def second_most_likely(hypotheses: Hypotheses) -> np.intp:
    """Return which hypothesis of a graph has the second highest evidence.

    Args:
        hypotheses: The hypotheses, at least two.

    Returns:
        Its place. If several have the same evidence, `np.argsort` decides.
    """
    known = None
    if isinstance(hypotheses, ResidentHypotheses):
        known = hypotheses.second_most_likely
    return np.argsort(hypotheses.evidence)[-2] if known is None else np.intp(known)


def row_by_row(hypotheses: Hypotheses) -> Hypotheses | _RowByRow:
    """Return hypotheses of which only a few are read, without copying all of them."""
    if isinstance(hypotheses, ResidentHypotheses):
        return _RowByRow(hypotheses)
    return hypotheses


class _RowByRow:
    """The columns of hypotheses that a backend holds."""

    __slots__ = ("_rows",)

    def __init__(self, rows: ResidentHypotheses) -> None:
        self._rows = rows

    @property
    def evidence(self) -> _Column:
        return _Column(self._rows, "evidence")

    @property
    def locations(self) -> _Column:
        return _Column(self._rows, "locations")

    @property
    def poses(self) -> _Column:
        return _Column(self._rows, "poses")


class _Column:
    """What is asked of a column to find the most likely hypothesis and its pose."""

    __slots__ = ("_name", "_rows")

    def __init__(self, rows: ResidentHypotheses, name: str) -> None:
        self._rows = rows
        self._name = name

    def __len__(self) -> int:
        return self._rows.count

    def __getitem__(self, place: int) -> Any:
        return self._rows.row(self._name, place)

    def argmax(self, axis: None = None, out: None = None) -> np.intp:
        """Return where the highest evidence is; for `np.argmax`."""
        assert axis is None and out is None, "not an array"
        return np.intp(self._rows.most_likely)


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
