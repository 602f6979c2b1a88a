# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How well sensed features match those stored at the nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

__all__ = [
    "CATEGORICAL",
    "CIRCULAR",
    "NUMERIC",
    "WITHOUT_COLUMNS",
    "FeatureColumnMismatch",
    "FeatureQuery",
    "feature_evidence",
    "kinds_of",
    "make_feature_query",
]

NUMERIC, CIRCULAR, CATEGORICAL = 0, 1, 2

WITHOUT_COLUMNS = ("pose_vectors", "pose_fully_defined")
_FIRST_COLUMN_CIRCULAR = ("hsv",)
_CATEGORICAL = ("object_id",)


class FeatureColumnMismatch(ValueError):
    """Sensed and stored features do not have the same columns."""


@dataclass(frozen=True)
class FeatureQuery:
    """What is sensed in each feature column, and how much a difference counts.

    Attributes:
        values: Shape (columns,).
        tolerances: The smallest difference that gives no evidence, shape (columns,).
        weights: Shape (columns,).
        kinds: NUMERIC, CIRCULAR (with period 1, like a hue) or CATEGORICAL, shape
            (columns,).
        increment: The evidence of a perfect match.
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
) -> FeatureQuery:
    """Lay sensed features out in the columns of a graph's features.

    Args:
        order: Names of the stored features, in the order of their columns.
        columns: The number of stored columns.
        sensed: Sensed values by feature; each a number or a sequence of them.
        tolerances: Tolerances by feature; each a number or one per column.
        weights: Weights by feature; each a number or one per column.
        increment: The evidence of a perfect match.

    Returns:
        The query.

    Raises:
        FeatureColumnMismatch: If sensed and stored features differ in columns, or
            the weights sum to zero.
    """
    query = FeatureQuery(
        values=np.full(columns, np.nan),
        tolerances=np.full(columns, np.nan),
        weights=np.full(columns, np.nan),
        kinds=np.full(columns, NUMERIC, dtype=np.int8),
        increment=float(increment),
    )
    end = 0
    for name in order:
        if name in WITHOUT_COLUMNS:
            continue
        start, end = end, end + np.size(sensed[name])
        if end > columns:
            break
        query.values[start:end] = sensed[name]
        query.tolerances[start:end] = tolerances[name]
        query.weights[start:end] = weights[name]
        query.kinds[start:end] = kinds_of(name, end - start)
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


def kinds_of(name: str, columns: int) -> list[int]:
    """Return the kind of each column of a feature."""
    if name in _FIRST_COLUMN_CIRCULAR:
        return [CIRCULAR, *[NUMERIC] * (columns - 1)]
    return [CATEGORICAL if name in _CATEGORICAL else NUMERIC] * columns


def feature_evidence(
    features: npt.NDArray[np.float64], query: FeatureQuery
) -> npt.NDArray[np.float64]:
    """Return how well the features of each node match the sensed ones.

    Args:
        features: Features of the nodes, shape (n, columns).
        query: What is sensed.

    Returns:
        0 to `query.increment` for each node, NaN where a value is missing.
    """
    differences = np.abs(features - query.values)
    circular = query.kinds == CIRCULAR
    stored, sensed = features[:, circular], query.values[circular]
    differences[:, circular] = np.minimum(
        differences[:, circular],
        np.minimum(np.abs((1.0 + stored) - sensed), np.abs(stored - (sensed + 1.0))),
    )
    categorical = query.kinds == CATEGORICAL
    differences[:, categorical] = features[:, categorical] != query.values[categorical]
    matches = np.clip(query.tolerances - differences, 0.0, None) / query.tolerances
    return np.average(matches, axis=1, weights=query.weights) * query.increment
