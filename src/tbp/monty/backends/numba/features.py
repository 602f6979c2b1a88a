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

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import prange

from tbp.monty.backends.numba.compiling import called, in_threads, launched, tuple_of
from tbp.monty.backends.numba.rounding import sum_as_numpy_does
from tbp.monty.backends.numpy.features import CATEGORICAL, CIRCULAR
from tbp.monty.backends.tables.blocks import Blocks, make_blocks
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.kernel_work import KernelWork

__all__ = ["score_nodes"]


class _Queries(NamedTuple):
    match_graphs: npt.NDArray[np.int64]
    match_queries: npt.NDArray[np.int64]
    score_starts: npt.NDArray[np.int64]
    column_starts: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    tolerances: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    kinds: npt.NDArray[np.int8]
    increments: npt.NDArray[np.float64]


class _Features(NamedTuple):
    features: npt.NDArray[np.float64]
    feature_starts: npt.NDArray[np.int64]


def score_nodes(graphs: GraphTable, work: KernelWork) -> npt.NDArray[np.float64]:
    """Return the evidence of all nodes' features, for all matches of a work."""
    scores = np.empty(work.score_count)
    node_counts = np.where(
        work.score_starts >= 0, graphs.node_counts[work.match_graphs], 0
    )
    blocks = make_blocks(np.zeros_like(node_counts), node_counts)
    if len(blocks.owners):
        _score_nodes(
            in_threads(30 * node_counts.sum()),
            tuple(blocks),
            tuple_of(work, _Queries),
            tuple_of(graphs.arrays, _Features),
            scores,
        )
    return scores


@launched(parallel=True)
def _score_nodes(threads, blocks, work, graphs, scores):
    """Compute the evidence of the features of nodes, in blocks owned by a match."""
    if threads:
        for block in prange(len(blocks[0])):
            _score_block(np.int64(block), blocks, work, graphs, scores)
    else:
        for block in range(len(blocks[0])):
            _score_block(block, blocks, work, graphs, scores)


@called
def _score_block(block, blocks, work, graphs, scores):
    blocks, work, graphs = Blocks(*blocks), _Queries(*work), _Features(*graphs)
    match = blocks.owners[block]
    graph = work.match_graphs[match]
    query = work.match_queries[match]
    increment = work.increments[query]
    first = work.column_starts[query]
    columns = work.column_starts[query + 1] - first
    values = work.values[first : first + columns]
    tolerances = work.tolerances[first : first + columns]
    weights = work.weights[first : first + columns]
    kinds = work.kinds[first : first + columns]
    features = graphs.features[graphs.feature_starts[graph] :]
    match_scores = scores[work.score_starts[match] :]
    total_weight = sum_as_numpy_does(weights.copy())
    terms = np.empty(columns)
    for node in range(blocks.starts[block], blocks.stops[block]):
        for column in range(columns):
            left = _within_tolerance(
                features[node * columns + column],
                values[column],
                tolerances[column],
                kinds[column],
            )
            terms[column] = left * weights[column]
        match_scores[node] = (sum_as_numpy_does(terms) / total_weight) * increment


@called
def _within_tolerance(stored, sensed, tolerance, kind):
    difference = abs(stored - sensed)
    if kind == CIRCULAR:
        # If one of them is NaN, all three are.
        difference = min(difference, abs((1.0 + stored) - sensed))
        difference = min(difference, abs(stored - (sensed + 1.0)))
    elif kind == CATEGORICAL:
        difference = 0.0 if stored == sensed else 1.0
    left = tolerance - difference
    return (max(left, 0.0)) / tolerance
