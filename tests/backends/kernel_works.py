# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Builds work for kernels from its parts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numpy.features import FeatureQuery
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.kernel_work import KernelWork

_revisions = itertools.count()

__all__ = ["ChannelQuery", "SegmentWork", "kernel_work", "matches_of", "query_of_work"]


@dataclass(frozen=True)
class ChannelQuery:
    """What one input channel of one learning module senses, and how it is matched."""

    pose_vectors: npt.NDArray[np.float64]
    pose_fully_defined: bool
    curvature: float
    normal_weight: float = 1.0
    direction_weight: float = 1.0
    neighbors: int = 3
    features: FeatureQuery | None = None


@dataclass(frozen=True)
class SegmentWork:
    """The update of one segment; a match is a pair of indices: graph and query."""

    segment: int
    matches: Sequence[tuple[int, int]]
    displacement: npt.NDArray[np.float64] | None = None
    threshold: float = -np.inf
    past_weight: float = 1.0
    present_weight: float = 1.0


def kernel_work(
    queries: Sequence[ChannelQuery],
    segments: Sequence[SegmentWork],
    graphs: GraphTable,
) -> KernelWork:
    """Return queries and segments as flat arrays."""
    matches = np.array([m for one in segments for m in one.matches], dtype=np.int64)
    matches = matches.reshape(-1, 2)
    features = [query.features for query in queries]
    columns = np.array([0 if f is None else len(f.values) for f in features], np.int64)
    is_scored = columns[matches[:, 1]] > 0
    scored = np.where(is_scored, graphs.node_counts[matches[:, 0]], 0)
    moves = [one.displacement for one in segments]

    def joined(name: str, dtype=np.float64) -> npt.NDArray:
        parts = [getattr(one, name) for one in features if one is not None]
        return np.concatenate([np.zeros(0), *parts]).astype(dtype)

    return KernelWork(
        revision=next(_revisions),
        segments=np.array([one.segment for one in segments], dtype=np.int64),
        is_displaced=np.array([move is not None for move in moves], dtype=bool),
        displacements=floats(
            [np.zeros(3) if move is None else move for move in moves], 3
        ),
        thresholds=floats([one.threshold for one in segments]),
        past_weights=floats([one.past_weight for one in segments]),
        present_weights=floats([one.present_weight for one in segments]),
        match_starts=starts([len(one.matches) for one in segments]),
        match_graphs=matches[:, 0].copy(),
        match_queries=matches[:, 1].copy(),
        score_starts=np.where(is_scored, np.cumsum(scored) - scored, -1),
        score_count=int(scored.sum()),
        sensed=floats([np.ravel(one.pose_vectors)[:6] for one in queries], 6),
        direction_known=np.array([bool(q.pose_fully_defined) for q in queries], bool),
        curvatures=floats([one.curvature for one in queries]),
        pose_weights=floats(
            [(q.normal_weight, q.direction_weight) for q in queries], 2
        ),
        neighbors=np.array([one.neighbors for one in queries], dtype=np.int64),
        column_starts=starts(columns),
        values=joined("values"),
        tolerances=joined("tolerances"),
        weights=joined("weights"),
        kinds=joined("kinds", np.int8),
        increments=floats([0.0 if f is None else f.increment for f in features]),
    )


def matches_of(work: KernelWork, position: int) -> list[tuple[int, int]]:
    """Return graph and query of each match of a segment."""
    first, end = work.match_starts[position : position + 2]
    graphs, queries = work.match_graphs[first:end], work.match_queries[first:end]
    return list(zip(graphs.tolist(), queries.tolist(), strict=True))


def query_of_work(work: KernelWork, query: int) -> ChannelQuery:
    """Return a query of a work; its third pose vector is computed."""
    columns = slice(*work.column_starts[query : query + 2])
    features = FeatureQuery(
        values=work.values[columns],
        tolerances=work.tolerances[columns],
        weights=work.weights[columns],
        kinds=work.kinds[columns],
        increment=work.increments[query],
    )
    normal, direction = work.sensed[query].reshape(2, 3)
    return ChannelQuery(
        pose_vectors=np.stack([normal, direction, np.cross(normal, direction)]),
        pose_fully_defined=bool(work.direction_known[query]),
        curvature=work.curvatures[query],
        normal_weight=work.pose_weights[query, 0],
        direction_weight=work.pose_weights[query, 1],
        neighbors=int(work.neighbors[query]),
        features=features if len(features.values) else None,
    )


def floats(values: Sequence, columns: int | None = None) -> npt.NDArray[np.float64]:
    array = np.array(values, dtype=np.float64)
    return array if columns is None else array.reshape(-1, columns)


def starts(counts: Sequence[int] | npt.NDArray) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
