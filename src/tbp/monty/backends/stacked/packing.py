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

from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.backends.stacked.feature_columns import (
    FeatureColumns,
    feature_columns,
)
from tbp.monty.backends.stacked.plans import JointPlan
from tbp.monty.backends.tables.blocks import starts_of
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.kernel_work import KernelWork
from tbp.monty.backends.tables.segments import Segments

__all__ = ["Packer"]


class _Settled(NamedTuple):
    """The fields of works that stay the same as long as plan and settings do."""

    plan: JointPlan
    settings: Any
    fields: Mapping[str, Any]


class Packer:
    """Packs works for kernels, with the same arrays where nothing has changed."""

    def __init__(self) -> None:
        self._settled: _Settled | None = None

    def pack(
        self,
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
        moves = [work.displacement for work in works]
        are_displaced = np.array([move is not None for move in moves], dtype=bool)
        displacements = _floats(
            [(0.0, 0.0, 0.0) if move is None else move for move in moves]
        )
        asked = plan.asked(works)
        percepts = [work.state.percept(key.channel) for work, key in asked]
        features = feature_columns(asked, percepts)
        weights = [
            work.settings["feature_weights"][key.channel]["pose_vectors"][:2]
            for work, key in asked
        ]
        work = KernelWork(
            segments=plan.segments,
            is_displaced=are_displaced.take(plan.owners),
            displacements=displacements.reshape(-1, 3).take(plan.owners, axis=0),
            thresholds=thresholds,
            match_starts=plan.match_starts,
            match_graphs=plan.match_graphs,
            match_queries=plan.match_queries,
            sensed=_floats(
                [np.ravel(one.pose_vectors)[:6] for one in percepts]
            ).reshape(-1, 6),
            direction_known=np.array(
                [bool(one.pose_fully_defined) for one in percepts], dtype=bool
            ),
            curvatures=_floats([one.curvature for one in percepts]),
            values=features.values,
            **self._fields(works, plan, graphs, features, _floats(weights)),
        )
        work.check(table)
        return work

    def _fields(
        self,
        works: Sequence[DescribedWork],
        plan: JointPlan,
        graphs: GraphTable,
        features: FeatureColumns,
        pose_weights: npt.NDArray[np.float64],
    ) -> Mapping[str, Any]:
        """Return fields that settings, graphs and numbers of columns decide."""
        names = ("past_weight", "present_weight", "max_nneighbors")
        each = [[work.settings[name] for name in names] for work in works]
        column_counts = features.counts
        arrays: dict[str, npt.NDArray] = dict(
            pose_weights=pose_weights.reshape(-1, 2),
            tolerances=features.tolerances,
            weights=features.weights,
            kinds=features.kinds,
            increments=features.increments,
        )
        # By value: whoever changes a setting may do so in its array.
        contents = [array.tobytes() for array in arrays.values()]
        settings = each, column_counts.tolist(), contents
        settled = self._settled
        if settled is None or settled.plan is not plan or settled.settings != settings:
            past, present, neighbors = zip(*each, strict=True)
            is_scored = column_counts[plan.match_queries] > 0
            nodes = np.where(is_scored, graphs.node_counts[plan.match_graphs], 0)
            ends = nodes.cumsum()
            fields = dict(
                past_weights=_floats(past)[plan.owners],
                present_weights=_floats(present)[plan.owners],
                neighbors=np.repeat(
                    np.array(neighbors, dtype=np.int64),
                    [len(of_lm.query_keys) for of_lm in plan.plans],
                ),
                score_starts=np.where(is_scored, ends - nodes, -1),
                score_count=int(nodes.sum()),
                column_starts=starts_of(column_counts),
                **arrays,
            )
            settled = self._settled = _Settled(plan, settings, fields)
        return settled.fields


def _floats(values: Sequence) -> npt.NDArray[np.float64]:
    return np.array(values, dtype=np.float64)
