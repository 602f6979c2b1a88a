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

from typing import Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.backends.stacked.feature_columns import feature_columns
from tbp.monty.backends.stacked.plans import JointPlan
from tbp.monty.backends.tables.blocks import starts_of
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.kernel_work import KernelWork
from tbp.monty.backends.tables.segments import Segments

__all__ = ["pack_work"]


def pack_work(
    works: Sequence[DescribedWork],
    plan: JointPlan,
    table: Segments,
    graphs: GraphTable,
    thresholds: npt.NDArray[np.float64],
) -> KernelWork:
    """Return what kernels are to compute.

    Args:
        works: The works of a step.
        plan: Their plan.
        table: The hypotheses.
        graphs: The graphs.
        thresholds: How much evidence a hypothesis needs to be tested, for each
            segment.

    Returns:
        The arrays, checked.
    """
    owners = plan.owners
    moves = [work.displacement for work in works]
    settings = [work.settings for work in works]
    asked = plan.asked(works)
    percepts = [work.state.percept(key.channel) for work, key in asked]
    features = feature_columns(asked, percepts)
    weights = [
        work.settings["feature_weights"][key.channel]["pose_vectors"][:2]
        for work, key in asked
    ]
    is_scored = features.counts[plan.match_queries] > 0
    score_counts = np.where(is_scored, graphs.node_counts[plan.match_graphs], 0)
    score_ends = score_counts.cumsum()
    work = KernelWork(
        segments=plan.segments,
        is_displaced=np.array([move is not None for move in moves], dtype=bool)[owners],
        displacements=_floats(
            [(0.0, 0.0, 0.0) if move is None else move for move in moves]
        ).reshape(-1, 3)[owners],
        thresholds=thresholds,
        past_weights=_floats([one["past_weight"] for one in settings])[owners],
        present_weights=_floats([one["present_weight"] for one in settings])[owners],
        match_starts=plan.match_starts,
        match_graphs=plan.match_graphs,
        match_queries=plan.match_queries,
        score_starts=np.where(is_scored, score_ends - score_counts, -1),
        score_count=int(score_counts.sum()),
        sensed=_floats([np.ravel(one.pose_vectors)[:6] for one in percepts]).reshape(
            -1, 6
        ),
        direction_known=np.array(
            [bool(one.pose_fully_defined) for one in percepts], dtype=bool
        ),
        curvatures=_floats([one.curvature for one in percepts]),
        pose_weights=_floats(weights).reshape(-1, 2),
        neighbors=np.array(
            [work.settings["max_nneighbors"] for work, _ in asked],
            dtype=np.int64,
        ),
        column_starts=starts_of(features.counts),
        values=features.values,
        tolerances=features.tolerances,
        weights=features.weights,
        kinds=features.kinds,
        increments=features.increments,
    )
    work.check(table)
    return work


def _floats(values: Sequence) -> npt.NDArray[np.float64]:
    return np.array(values, dtype=np.float64)
