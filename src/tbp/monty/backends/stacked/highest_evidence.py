# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The highest evidence of the graphs of a learning module."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.stacked.handed_out import HandedOut

__all__ = ["HighestEvidence"]


@dataclass(eq=False)
class HighestEvidence:
    """The highest evidence of each graph of a learning module, after an update.

    Attributes:
        graph_ids: The graphs.
        segments: Their segments.
        handed_out: What the learning module has.
        highest: The highest evidence of each.
        is_empty: Which have no hypotheses; None if all have some.
    """

    graph_ids: Sequence[str]
    segments: Sequence[int]
    handed_out: HandedOut
    highest: npt.NDArray[np.float64]
    is_empty: npt.NDArray[np.bool_] | None

    def replace(self, segment: int, highest: float) -> None:
        """Set the highest evidence of a segment."""
        # Graphs that sensed nothing on the last step were not updated with the others.
        if segment in self.segments:
            self.highest[list(self.segments).index(segment)] = highest

    def now(
        self, graph_ids: Sequence[str], hypotheses: Mapping[str, Any]
    ) -> tuple[list[str], npt.NDArray[np.float64]] | None:
        """Return what is true of hypotheses of which some may have been changed.

        Args:
            graph_ids: All graphs that the learning module knows.
            hypotheses: Its hypotheses, by graph.

        Returns:
            The graphs that have hypotheses, and their highest evidence; None if
            graphs or hypotheses are others than those that were updated.
        """
        if graph_ids != self.graph_ids:
            return None
        self.handed_out.settle()
        touched = self.handed_out.touched
        rows = self.handed_out.current(self.segments)
        present = list(map(hypotheses.get, graph_ids))
        if not (all(map(operator.is_, present, rows)) and all(present)):  # no None
            return None
        highest, is_empty = self.highest.copy(), self.is_empty
        for i, segment in enumerate(self.segments) if touched else ():
            row = rows[i]
            if segment not in touched or row is None:
                continue
            evidence = row.arrays.get("evidence")
            if evidence is None:
                continue
            # Whoever has read it may have written to it.
            if (len(evidence) == 0) != (is_empty is not None and is_empty[i]):
                return None
            if len(evidence):
                is_array = isinstance(evidence, np.ndarray)
                highest[i] = evidence.max() if is_array else np.max(evidence)
        if is_empty is None:
            return list(graph_ids), highest
        filled = np.flatnonzero(~is_empty)
        return [graph_ids[i] for i in filled.tolist()], highest[filled]
