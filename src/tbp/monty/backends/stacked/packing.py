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

from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.backends.numpy.numbers import LARGEST
from tbp.monty.backends.stacked.feature_columns import (
    FeatureColumns,
    feature_columns,
    sizes_of,
)
from tbp.monty.backends.stacked.plans import JointPlan, QueryKey
from tbp.monty.backends.tables.blocks import starts_of
from tbp.monty.backends.tables.flags import all_of
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.kernel_work import KernelWork
from tbp.monty.backends.tables.segments import Segments

__all__ = ["Packer"]


class _Settled(NamedTuple):
    """What stays the same as long as plan and settings do.

    Attributes:
        plan: The plan.
        settings: The settings, by value: whoever changes one may do so in its array.
        features: The feature columns.
        work: A work that has what they decide, and nothing else.
    """

    plan: JointPlan
    settings: Any
    features: FeatureColumns
    work: KernelWork


_NUMBERS = operator.itemgetter("past_weight", "present_weight", "max_nneighbors")


class Packer:
    """Packs works for kernels, with the same arrays where nothing has changed."""

    def __init__(self) -> None:
        self._settled: _Settled | None = None
        self._directions: list[bool] = []
        self._direction_known = np.zeros(0, dtype=np.bool_)
        """`_directions` as an array."""

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
        are_displaced = [move is not None for move in moves]
        of_lms = [work.settings for work in works]
        asked = [(of_lms[i], key) for i, key in plan.asked]
        percepts = [works[i].state.percept(key.channel) for i, key in plan.asked]
        before = self._settled
        features = feature_columns(asked, percepts, before and before.features)
        curvatures = [one.curvature for one in percepts]
        # All numbers in one call, and checked in one.
        numbers = _joined(
            [
                *(_NOT_MOVED if move is None else move for move in moves),
                *(one.pose_vectors for one in percepts),
                *curvatures,
            ]
        )
        start, sizes = 3 * len(moves) + 9 * len(percepts), sizes_of(curvatures)
        *starts, end = itertools.accumulate(sizes, initial=start)
        if len(numbers) != end or not all(sizes):
            raise ValueError(
                "each displacement must have 3 numbers, and each percept 9 in its pose "
                "vectors and at least 1 in its curvature"
            )
        magnitudes = np.abs(numbers)
        directions = [bool(one.pose_fully_defined) for one in percepts]
        if directions != self._directions:
            self._directions = directions
            self._direction_known = np.array(directions, dtype=np.bool_)
        work = self._settle(of_lms, plan, graphs, asked, features)._replace(
            is_displaced=plan.are_displaced
            if all(are_displaced)
            else np.array(are_displaced, dtype=np.bool_).take(plan.owners),
            displacements=numbers.take(plan.displaced_at),
            thresholds=thresholds,
            sensed=numbers.take(plan.sensed_at),
            direction_known=self._direction_known,
            curvatures=np.maximum.reduceat(magnitudes, starts),
            values=features.values,
        )
        if not all_of(magnitudes <= LARGEST):
            work.check(table)
        return work

    def _settle(
        self,
        of_lms: Sequence[Mapping[str, Any]],
        plan: JointPlan,
        graphs: GraphTable,
        asked: Sequence[tuple[Mapping[str, Any], QueryKey]],
        features: FeatureColumns,
    ) -> KernelWork:
        """Return a work that has what settings, graphs and columns decide."""
        numbers = [*map(_NUMBERS, of_lms)]
        pose_weights = _joined(
            [
                settings["feature_weights"][key.channel]["pose_vectors"][:2]
                for settings, key in asked
            ]
        )
        values = numbers, pose_weights.tobytes()
        settled = self._settled
        if (
            settled is None
            or settled.plan is not plan
            or settled.features.counts is not features.counts
            or settled.settings != values
        ):
            past, present, neighbors = zip(*numbers, strict=True)
            is_scored = features.counts[plan.match_queries] > 0
            nodes = np.where(is_scored, graphs.node_counts[plan.match_graphs], 0)
            ends = nodes.cumsum()
            none: npt.NDArray[Any] = np.zeros(0)
            work = KernelWork(
                segments=plan.segments,
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
            settled = self._settled = _Settled(plan, values, features, work)
        return settled.work


_NOT_MOVED = np.zeros(3)


def _joined(parts: Sequence[npt.ArrayLike]) -> npt.NDArray[np.float64]:
    """Return the numbers of arrays; faster than an array of arrays."""
    if not parts:
        return np.zeros(0)
    return np.concatenate(parts, axis=None, dtype=np.float64, casting="unsafe")


def _floats(values: Sequence) -> npt.NDArray[np.float64]:
    return np.array(values, dtype=np.float64)
