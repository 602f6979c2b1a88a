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
import numpy.typing as npt

from tbp.monty.backends.numba import kernels
from tbp.monty.backends.tables.blocks import make_blocks
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.kernel_work import KernelWork

__all__ = ["score_nodes"]


def score_nodes(graphs: GraphTable, work: KernelWork) -> npt.NDArray[np.float64]:
    """Return the evidence of all nodes' features, for all matches of a work."""
    scores = np.empty(work.score_count)
    node_counts = np.where(
        work.score_starts >= 0, graphs.node_counts[work.match_graphs], 0
    )
    blocks = make_blocks(np.zeros_like(node_counts), node_counts)
    if len(blocks.owners):
        kernels.score_nodes(blocks, work, graphs.arrays, scores)
    return scores
