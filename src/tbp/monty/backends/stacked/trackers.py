# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Slope trackers of hypotheses that a table holds."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.stacked.lazy_dict import LazyDict
from tbp.monty.backends.tables.segments import Segments

__all__ = ["SegmentTracker", "TrackersByGraph"]


class SegmentTracker:
    """Stands in for upstream's `EvidenceSlopeTracker`, with its method names."""

    def __init__(self, table: Segments, segment: int) -> None:
        self._table = table
        self._segment = segment

    def total_size(self) -> int:
        return int(self._table.counts[self._segment])

    def calculate_slopes(self) -> npt.NDArray[np.float64]:
        return self._table.read(self._segment, "slopes")

    def hyp_ages(self) -> npt.NDArray[np.int_]:
        return self._table.read(self._segment, "ages").astype(np.int_)


class TrackersByGraph(LazyDict[Any]):
    """The slope trackers of a learning module.

    Attributes:
        table: The table that holds the slopes.
    """

    def __init__(self, trackers: Mapping[str, Any], table: Segments) -> None:
        """Begin with the trackers that a learning module has.

        Args:
            trackers: These trackers.
            table: The table that further trackers read.
        """
        super().__init__(trackers)
        self.table = table
        self._segments: dict[str, int] = {}

    def keep(self, graph_ids: Sequence[str], segments: Sequence[int]) -> None:
        """Have trackers of segments; they stay if `graph_ids` is the same object."""
        if self._keys is not graph_ids or self.is_changed:
            self._segments.update(zip(graph_ids, segments, strict=True))
            self.put_off(graph_ids)

    def make(self, key: str) -> SegmentTracker:
        return SegmentTracker(self.table, self._segments[key])

    def highest_slope(self) -> float | None:
        """Return the highest finite slope, or -inf; None if it is not known."""
        if self.is_changed or len(self) != len(self._segments):
            return None
        if not self._segments:
            return -np.inf
        return self.table.highest_slope(list(self._segments.values()))
