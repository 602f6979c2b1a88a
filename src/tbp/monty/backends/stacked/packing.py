# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Packs what learning modules sense into the arrays that kernels take."""

from __future__ import annotations

import itertools
import operator
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import EvidenceUpdate, Percept
from tbp.monty.backends.numpy.numbers import LARGEST
from tbp.monty.backends.stacked.features import feature_columns, joined, sizes_of
from tbp.monty.backends.stacked.plans import JointPlan, QueryKey
from tbp.monty.backends.tables.blocks import starts_of
from tbp.monty.backends.tables.flags import all_of
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.kernel_work import KernelWork
from tbp.monty.backends.tables.segments import Segments

__all__ = ["pack"]

_revisions = itertools.count()


class _Settled(NamedTuple):
    """What stays the same as long as settings and the sizes of percepts do.

    Attributes:
        settings: The settings by value, because arrays may be changed in place.
        sizes: How many numbers each curvature has, and then each feature.
        starts: Where each curvature starts among all numbers.
        end: Where the last curvature ends, and features start.
        total: How many numbers there are.
        work: A work with the arrays that they decide; the others are empty.
    """

    settings: Any
    sizes: Sequence[int]
    starts: npt.NDArray[np.int64]
    end: int
    total: int
    work: KernelWork


def pack(
    updates: Sequence[EvidenceUpdate],
    plan: JointPlan,
    table: Segments,
    graphs: GraphTable,
    segments: npt.NDArray[np.int64],
    thresholds: npt.NDArray[np.float64],
) -> KernelWork:
    """Return what kernels are to compute, with the same arrays where nothing changed.

    Args:
        updates: The updates of a step.
        plan: Their plan.
        table: The hypotheses.
        graphs: The graphs.
        segments: The segments of the plan's keys.
        thresholds: How much evidence a hypothesis needs to be tested, for each segment.

    Returns:
        The arrays, checked.

    Raises:
        ValueError: If numbers are missing.
    """
    of_lms = [update.settings for update in updates]
    moves = [update.displacement for update in updates]
    percepts = [updates[i].percepts[key.channel] for i, key in plan.asked]
    curvatures = [one.curvature for one in percepts]
    features, settings = _looked_up(of_lms, plan.asked, percepts)
    sizes = sizes_of([*curvatures, *features])
    settled = plan.settled
    if settled is None or settled.sizes != sizes or settled.settings != settings:
        settled = _settle(of_lms, plan, graphs, percepts, sizes, settings)
        plan.settled = settled
    # All numbers in one call, and checked in one.
    numbers = joined(
        [
            *[_NOT_MOVED if move is None else move for move in moves],
            *[one.pose_vectors for one in percepts],
            *curvatures,
            *features,
        ]
    )
    if len(numbers) != settled.total:
        raise ValueError(
            "each displacement must have 3 numbers, and each percept 9 in its pose "
            "vectors"
        )
    magnitudes = np.abs(numbers[: settled.end])
    is_displaced = np.array([move is not None for move in moves], dtype=np.bool_)
    directions = [bool(one.pose_fully_defined) for one in percepts]
    by_lm = numbers[: 3 * len(moves)].reshape(-1, 3)
    vectors = numbers[3 * len(moves) : 3 * len(moves) + 9 * len(percepts)]
    work = settled.work._replace(
        segments=segments,
        is_displaced=is_displaced[plan.owners],
        displacements=by_lm[plan.owners],
        thresholds=thresholds,
        sensed=np.ascontiguousarray(vectors.reshape(-1, 9)[:, :6]),
        direction_known=np.array(directions, dtype=np.bool_),
        curvatures=np.maximum.reduceat(magnitudes, settled.starts),
        values=numbers[settled.end :],
    )
    if not all_of(magnitudes <= LARGEST):
        work.check(table)  # an infinite curvature is usable
    return work


_NOT_MOVED = np.zeros(3)

_NUMBERS = operator.itemgetter(
    "past_weight", "present_weight", "max_nneighbors", "feature_evidence_increment"
)


def _looked_up(
    of_lms: Sequence[Mapping[str, Any]],
    asked: Sequence[tuple[int, QueryKey]],
    percepts: Sequence[Percept],
) -> tuple[list[npt.ArrayLike], Any]:
    """Return all features that are matched, and all settings by value."""
    features, arrays, are_used = [], [], []
    for (i, (channel, names, _)), percept in zip(asked, percepts, strict=True):
        settings, sensed = of_lms[i], percept.features
        weights = settings["feature_weights"][channel]
        arrays.append(weights["pose_vectors"])
        is_used = settings["use_features_for_matching"][channel]
        are_used.append(is_used)
        if is_used:
            tolerances = settings["tolerances"][channel]
            for name in names:
                features.append(sensed[name])
                arrays += (tolerances[name], weights[name])
    numbers = [*map(_NUMBERS, of_lms)]
    return features, (numbers, are_used, sizes_of(arrays), joined(arrays).tobytes())


def _settle(
    of_lms: Sequence[Mapping[str, Any]],
    plan: JointPlan,
    graphs: GraphTable,
    percepts: Sequence[Percept],
    sizes: Sequence[int],
    settings: Any,
) -> _Settled:
    """Return what settings, graphs and the sizes of percepts decide.

    Raises:
        ValueError: If a percept has no curvature.
        FeatureColumnMismatch: If it has other features than a graph.
    """
    if not all(sizes[: len(percepts)]):
        raise ValueError("each percept must have at least 1 number in its curvature")
    start = 3 * len(of_lms) + 9 * len(percepts)
    starts = start + starts_of(sizes)
    asked = [(of_lms[i], key) for i, key in plan.asked]
    features = feature_columns(asked, percepts)
    past, present, neighbors, _ = zip(*map(_NUMBERS, of_lms), strict=True)
    pose_weights = joined(
        [one["feature_weights"][key.channel]["pose_vectors"][:2] for one, key in asked]
    )
    is_scored = features.counts[plan.match_queries] > 0
    nodes = np.where(is_scored, graphs.node_counts[plan.match_graphs], 0)
    ends = nodes.cumsum()
    none: npt.NDArray[Any] = np.zeros(0)
    work = KernelWork(
        revision=next(_revisions),
        segments=none,
        is_displaced=none,
        displacements=none,
        thresholds=none,
        past_weights=_floats(past)[plan.owners],
        present_weights=_floats(present)[plan.owners],
        match_starts=plan.match_starts,
        match_graphs=plan.match_graphs,
        match_queries=plan.match_queries,
        score_starts=np.where(is_scored, ends - nodes, -1),
        score_count=int(nodes.sum()),
        sensed=none,
        direction_known=none,
        curvatures=none,
        pose_weights=pose_weights.reshape(-1, 2),
        neighbors=np.repeat(
            np.array(neighbors, dtype=np.int64),
            [len(of_lm.query_keys) for of_lm in plan.plans],
        ),
        column_starts=starts_of(features.counts),
        values=none,
        tolerances=features.tolerances,
        weights=features.weights,
        kinds=features.kinds,
        increments=features.increments,
    )
    return _Settled(
        settings=settings,
        sizes=sizes,
        starts=starts[: len(percepts)],
        end=int(starts[len(percepts)]),
        total=int(starts[-1]),
        work=work,
    )


def _floats(values: Sequence) -> npt.NDArray[np.float64]:
    return np.array(values, dtype=np.float64)
