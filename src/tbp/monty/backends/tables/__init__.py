# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Graphs and hypotheses as stacked arrays, a segment each.

Nothing here computes evidence: the tables are what every backend computes on.
"""

from __future__ import annotations

from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.tables.cells import SIMD_WIDTH
from tbp.monty.backends.tables.graphs import (
    RECORD,
    Graph,
    GraphArrays,
    GraphTable,
    make_graph,
)
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.segments import SegmentKey, Segments

__all__ = [
    "RECORD",
    "SIMD_WIDTH",
    "Graph",
    "GraphArrays",
    "GraphTable",
    "HypothesisRows",
    "HypothesisTable",
    "SegmentKey",
    "Segments",
    "make_graph",
]
