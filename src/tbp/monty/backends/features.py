# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Sensed features as columns, comparable with those stored at the nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

__all__ = [
    "CATEGORICAL",
    "CIRCULAR",
    "NUMERIC",
    "FeatureColumnMismatch",
    "FeatureQuery",
    "make_feature_query",
]

NUMERIC, CIRCULAR, CATEGORICAL = 0, 1, 2


class FeatureColumnMismatch(ValueError):
    """Sensed and stored features do not have the same columns."""


@dataclass(frozen=True)
class FeatureQuery:
    """What is sensed in each feature column, and how much a difference counts.

    Attributes:
        values: Shape (columns,).
        tolerances: The smallest difference that gives no evidence, shape (columns,).
        weights: Shape (columns,).
        kinds: NUMERIC, CIRCULAR (the range is 1, as of a hue) or CATEGORICAL, shape
            (columns,).
        increment: What the evidence of a perfect match is.
    """

    values: npt.NDArray[np.float64]
    tolerances: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    kinds: npt.NDArray[np.int8]
    increment: float


def make_feature_query(
    order: Sequence[str],
    columns: int,
    sensed: Mapping[str, Any],
    tolerances: Mapping[str, Any],
    weights: Mapping[str, Any],
    increment: float = 1.0,
    skipped: Collection[str] = ("pose_vectors", "pose_fully_defined"),
    starting_with_a_circular_column: Collection[str] = ("hsv",),
    categorical: Collection[str] = ("object_id",),
) -> FeatureQuery:
    """Lay sensed features out in the columns of a graph's features.

    Args:
        order: Names of the stored features, in the order of their columns.
        columns: The number of stored columns.
        sensed: Sensed values by feature; each a number or a sequence of them.
        tolerances: Tolerances by feature; each a number or one a column.
        weights: Weights by feature; each a number or one a column.
        increment: What the evidence of a perfect match is.
        skipped: Features that have no columns.
        starting_with_a_circular_column: Features of which the first column is
            circular and the others are numeric.
        categorical: Features that match only if they are equal.

    Returns:
        The query.

    Raises:
        FeatureColumnMismatch: If sensed and stored features differ in columns, or
            the weights add up to nothing.
    """
    query = FeatureQuery(
        values=np.full(columns, np.nan),
        tolerances=np.full(columns, np.nan),
        weights=np.full(columns, np.nan),
        kinds=np.zeros(columns, dtype=np.int8),
        increment=float(increment),
    )
    end = 0
    for name in order:
        if name in skipped:
            continue
        start, end = end, end + np.size(sensed[name])
        if end > columns:
            break
        query.values[start:end] = sensed[name]
        query.tolerances[start:end] = tolerances[name]
        query.weights[start:end] = weights[name]
        if name in starting_with_a_circular_column:
            query.kinds[start] = CIRCULAR
        elif name in categorical:
            query.kinds[start:end] = CATEGORICAL
    if end != columns:
        raise FeatureColumnMismatch(
            f"expected {columns} feature columns, as stored; the features sensed for "
            f"{list(order)} have {end}{' or more' if end > columns else ''}"
        )
    if query.weights.sum() == 0:
        raise FeatureColumnMismatch(
            f"the weights of {list(order)} add up to zero; leave the features out of "
            "the matching instead"
        )
    return query
