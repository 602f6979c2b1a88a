# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Work as flat arrays, which is how kernels read it.

Named tuples, as compiled code takes these as they are.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numpy.features import FeatureColumnMismatch, FeatureQuery
from tbp.monty.backends.numpy.numbers import UnusableNumbers, usable
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.segment_work import NodeScores, Work, place_of

__all__ = [
    "Blocks",
    "PackedFeatures",
    "PackedWork",
    "make_blocks",
    "pack_features",
    "pack_work",
]


SMALLEST_BLOCK = 128
"""Rows a thread takes at a time: few enough to share out one small graph."""

LARGEST_BLOCK = 1024
"""Rows a thread takes at a time of many: each time it sets itself up anew."""

BLOCKS = 128
"""Enough to keep the threads of a large machine equally busy."""


class Blocks(NamedTuple):
    """Short stretches of rows, each within one segment, for threads to share out.

    Attributes:
        owners: What each block belongs to, by its position.
        starts: The first row of each block.
        stops: The row after its last.
        offsets: How many rows stand in the blocks before it.
    """

    owners: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    stops: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]


def make_blocks(
    starts: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    size: int | None = None,
) -> Blocks:
    """Divide stretches of rows into blocks of at most `size`, in order.

    Args:
        starts: Where each stretch starts.
        counts: How many rows it has.
        size: Defaults to what suits the threads of a processor.

    Returns:
        The blocks.
    """
    if size is None:
        size = min(max(counts.sum() // BLOCKS, SMALLEST_BLOCK), LARGEST_BLOCK)
    per_owner = -(-counts // size)
    owners = np.repeat(np.arange(len(counts)), per_owner)
    first_block = np.cumsum(per_owner) - per_owner
    number = np.arange(len(owners)) - first_block[owners]
    block_starts = starts[owners] + number * size
    block_stops = np.minimum(block_starts + size, (starts + counts)[owners])
    lengths = block_stops - block_starts
    return Blocks(
        owners=owners,
        starts=block_starts,
        stops=block_stops,
        offsets=np.cumsum(lengths) - lengths,
    )


class PackedWork(NamedTuple):
    """The segments, matches and queries of a work.

    Attributes:
        row_starts: Where each segment's rows start in the table, shape (segments,).
        row_counts: Shape (segments,).
        is_displaced: Shape (segments,).
        displacements: Shape (segments, 3).
        thresholds: Shape (segments,).
        past_weights: Shape (segments,).
        present_weights: Shape (segments,).
        match_starts: Where each segment's matches start, shape (segments + 1,).
        match_graphs: Shape (matches,).
        match_queries: Shape (matches,).
        sensed: Surface normal and first curvature direction, shape (queries, 6).
        direction_known: Shape (queries,).
        plane_factors: How much a distance from the tangent plane counts, shape
            (queries,).
        pose_weights: Of normal and direction, shape (queries, 2).
        neighbors: Shape (queries,).
    """

    row_starts: npt.NDArray[np.int64]
    row_counts: npt.NDArray[np.int64]
    is_displaced: npt.NDArray[np.bool_]
    displacements: npt.NDArray[np.float64]
    thresholds: npt.NDArray[np.float64]
    past_weights: npt.NDArray[np.float64]
    present_weights: npt.NDArray[np.float64]
    match_starts: npt.NDArray[np.int64]
    match_graphs: npt.NDArray[np.int64]
    match_queries: npt.NDArray[np.int64]
    sensed: npt.NDArray[np.float64]
    direction_known: npt.NDArray[np.bool_]
    plane_factors: npt.NDArray[np.float64]
    pose_weights: npt.NDArray[np.float64]
    neighbors: npt.NDArray[np.int64]


def pack_work(work: Work, table: HypothesisTable, graphs: GraphTable) -> PackedWork:
    """Return a work as flat arrays.

    Args:
        work: What is to be computed.
        table: The hypotheses.
        graphs: The graphs.

    Returns:
        The arrays.

    Raises:
        UnusableNumbers: If what is sensed cannot be computed with. Hypotheses are
            checked where they are read anyway.
        FeatureColumnMismatch: If what is sensed does not fit what a graph stores.
    """
    rows, matches, queries = work.rows, work.matches, work.queries
    curvatures = _floats([query.curvature for query in queries])
    packed = PackedWork(
        row_starts=table.starts[rows.segments],
        row_counts=table.counts[rows.segments],
        is_displaced=rows.is_displaced,
        displacements=rows.displacements,
        thresholds=rows.thresholds,
        past_weights=rows.past_weights,
        present_weights=rows.present_weights,
        match_starts=matches.starts,
        match_graphs=matches.graphs,
        match_queries=matches.queries,
        sensed=_floats([np.ravel(query.pose_vectors)[:6] for query in queries]).reshape(
            -1, 6
        ),
        direction_known=np.array(
            [bool(query.pose_fully_defined) for query in queries], dtype=bool
        ),
        plane_factors=1.0 / (np.abs(curvatures) + 0.5),
        pose_weights=_floats(
            [(query.normal_weight, query.direction_weight) for query in queries]
        ).reshape(-1, 2),
        neighbors=np.array([query.neighbors for query in queries], dtype=np.int64),
    )
    _check_numbers(packed, work, table)
    _check_columns(packed, work, table, graphs)
    return packed


def _check_numbers(packed: PackedWork, work: Work, table: HypothesisTable) -> None:
    # All at once; who is at fault is looked for only if someone is.
    is_displacement_usable = usable(packed.displacements).all(axis=1)
    if not is_displacement_usable.all():
        segment = work.segments[int(np.argmin(is_displacement_usable))]
        raise UnusableNumbers(
            f"{place_of(table, segment.segment)}: the displacement must be finite, got "
            f"{segment.displacement}"
        )
    is_pose_usable = usable(packed.sensed).all(axis=1)
    # An infinite curvature makes it 0, and NaN is not greater than that.
    is_curvature_usable = packed.plane_factors > 0
    is_query_usable = is_pose_usable & is_curvature_usable
    if is_query_usable.all():
        return
    for segment in work.segments:
        for _, index in segment.matches:
            if not is_query_usable[index]:
                query = work.queries[index]
                raise UnusableNumbers(
                    f"{place_of(table, segment.segment)}: pose vectors and curvature "
                    f"must be finite, got {query.pose_vectors.tolist()} and "
                    f"{query.curvature}"
                )


def _check_columns(
    packed: PackedWork, work: Work, table: HypothesisTable, graphs: GraphTable
) -> None:
    sensed = np.array(
        [
            -1 if query.features is None else len(query.features.values)
            for query in work.queries
        ],
        dtype=np.int64,
    )[packed.match_queries]
    stored = graphs.arrays.feature_columns[packed.match_graphs]
    matters = (sensed >= 0) & (graphs.node_counts[packed.match_graphs] > 0)
    wrong = np.flatnonzero(matters & (sensed != stored))
    if len(wrong):
        position = np.searchsorted(packed.match_starts, wrong[0], side="right") - 1
        raise FeatureColumnMismatch(
            f"{place_of(table, work.segments[position].segment)}: the graph stores "
            f"{stored[wrong[0]]} feature columns, {sensed[wrong[0]]} are sensed"
        )


class PackedFeatures(NamedTuple):
    """The sensed features of a work, and which nodes they are to be compared with.

    Attributes:
        match_graphs: The graph of each match that has features.
        match_queries: Its query.
        score_starts: Where its scores start.
        starts: Where the columns of each query start, shape (queries + 1,).
        values: Shape (columns of all queries,).
        tolerances: Shape (columns of all queries,).
        weights: Shape (columns of all queries,).
        kinds: Shape (columns of all queries,).
        increments: Shape (queries,).
    """

    match_graphs: npt.NDArray[np.int64]
    match_queries: npt.NDArray[np.int64]
    score_starts: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    tolerances: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    kinds: npt.NDArray[np.int8]
    increments: npt.NDArray[np.float64]


def pack_features(work: Work, scores: NodeScores) -> PackedFeatures:
    matches = work.matches
    scored = scores.starts >= 0
    queries = [query.features or _NOTHING_SENSED for query in work.queries]
    counts = [len(query.values) for query in queries]
    return PackedFeatures(
        match_graphs=matches.graphs[scored],
        match_queries=matches.queries[scored],
        score_starts=scores.starts[scored],
        starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        values=_joined([query.values for query in queries]),
        tolerances=_joined([query.tolerances for query in queries]),
        weights=_joined([query.weights for query in queries]),
        kinds=_joined([query.kinds for query in queries]).astype(np.int8),
        increments=_floats([query.increment for query in queries]),
    )


_NOTHING_SENSED = FeatureQuery(
    values=np.zeros(0),
    tolerances=np.zeros(0),
    weights=np.zeros(0),
    kinds=np.zeros(0, dtype=np.int8),
    increment=0.0,
)


def _floats(values: Sequence) -> npt.NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


def _joined(parts: Sequence[npt.NDArray]) -> npt.NDArray[np.float64]:
    return np.concatenate([np.zeros(0), *parts])
