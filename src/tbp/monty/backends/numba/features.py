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

from tbp.monty.backends.numba.compiling import allocating, inlined, launched, part_of
from tbp.monty.backends.numba.rounding import sum_as_numpy_does, sum_of_four
from tbp.monty.backends.numba.simd import (
    absolute_values,
    entries_of,
    four_from,
    number_in,
    put,
    where_above,
    where_at_least,
)
from tbp.monty.backends.numba.threads import for_each
from tbp.monty.backends.numpy.features import CATEGORICAL, CIRCULAR
from tbp.monty.backends.tables.blocks import make_blocks
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
            blocks, part_of(work, _Queries), part_of(graphs.arrays, _Features), scores
        )
    return scores


@launched
def _score_nodes(blocks, work, graphs, scores):
    """Compute the evidence of the features of nodes, in blocks owned by a match."""
    for_each(
        _score_block,
        len(blocks.owners),
        (blocks, work, graphs, scores),
        30 * blocks.offsets[-1],
    )


@allocating
def _score_block(block, blocks, work, graphs, scores):
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
    terms = np.empty(4 * columns)
    stop = blocks.stops[block]
    for node in range(blocks.starts[block], stop, 4):
        a, b, c, d = four_from(node, stop - 1)
        for column in range(columns):
            places = (
                a * columns + column,
                b * columns + column,
                c * columns + column,
                d * columns + column,
            )
            left = _within_tolerance(
                entries_of(features, places),
                values[column],
                tolerances[column],
                kinds[column],
            )
            put(terms, 4 * column, left * weights[column])
        evidence = (sum_of_four(terms) / total_weight) * increment
        for lane in range(min(4, stop - node)):
            match_scores[node + lane] = number_in(evidence, lane)


@inlined
def _within_tolerance(stored, sensed, tolerance, kind):
    difference = absolute_values(stored - sensed)
    if kind == CIRCULAR:
        # If one of them is NaN, all three are.
        difference = _lower(difference, absolute_values((1.0 + stored) - sensed))
        difference = _lower(difference, absolute_values(stored - (sensed + 1.0)))
    elif kind == CATEGORICAL:
        is_less = where_at_least(stored, sensed, 0.0, 1.0)
        difference = where_at_least(sensed, stored, is_less, 1.0)
    left = tolerance - difference
    return where_above(0.0, left, 0.0, left) / tolerance


@inlined
def _lower(a, b):
    return where_above(a, b, b, a)
