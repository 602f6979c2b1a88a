# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The evidence of the nodes' features, compiled."""

from __future__ import annotations

import numpy as np

from tbp.monty.backends.numba import kernels
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.packing import make_blocks, pack_features
from tbp.monty.backends.tables.segment_work import NodeScores, Work

__all__ = ["score_nodes"]


def score_nodes(graphs: GraphTable, work: Work) -> NodeScores:
    """Return the evidence of all nodes' features, for all matches of a work."""
    scores = NodeScores.room_for(graphs, work)
    packed = pack_features(work, scores)
    node_counts = graphs.node_counts[packed.match_graphs]
    blocks = make_blocks(np.zeros_like(node_counts), node_counts)
    if len(blocks.owners):
        kernels.score_nodes(blocks, packed, graphs.arrays, scores.values)
    return scores
