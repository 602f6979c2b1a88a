# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Lays the features that learning modules sense out in columns, for kernels."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import Percept
from tbp.monty.backends.numpy.features import (
    WITHOUT_COLUMNS,
    FeatureQuery,
    kinds_of,
    make_feature_query,
)
from tbp.monty.backends.stacked.plans import QueryKey

__all__ = ["FeatureColumns", "feature_columns", "sizes_of"]

Asked = Sequence["tuple[Mapping[str, Any], QueryKey]"]


class FeatureColumns(NamedTuple):
    """The feature columns of queries, one query after the other.

    Attributes:
        counts: How many columns each query has.
        values: What is sensed in each column; see `FeatureQuery` for the others.
        tolerances: Same shape.
        weights: Same shape.
        kinds: Same shape.
        increments: The evidence of a perfect match, for each query.
        origin: What decides all but `values`.
    """

    counts: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    tolerances: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    kinds: npt.NDArray[np.int8]
    increments: npt.NDArray[np.float64]
    origin: Any = None


def feature_columns(
    asked: Asked, percepts: Sequence[Percept], before: FeatureColumns | None = None
) -> FeatureColumns:
    """Return the feature columns of all queries of a step.

    Args:
        asked: For each query, the settings of the updater and what is asked.
        percepts: For each query, what is sensed.
        before: Those of the step before. Arrays that would be the same are its own.
    """
    at_once = _columns_at_once(asked, percepts, before)
    if at_once is not None:
        return at_once
    queries = [_query(*asked[i], percept) for i, percept in enumerate(percepts)]
    columns = FeatureColumns(
        counts=np.array([len(one.values) for one in queries], dtype=np.int64),
        values=_joined([one.values for one in queries]),
        tolerances=_joined([one.tolerances for one in queries]),
        weights=_joined([one.weights for one in queries]),
        kinds=_joined([one.kinds for one in queries]).astype(np.int8),
        increments=np.array([one.increment for one in queries], dtype=np.float64),
    )
    origin = [columns.counts.tolist(), *(one.tobytes() for one in columns[2:-1])]
    if before is not None and before.origin == origin:
        return before._replace(values=columns.values)
    return columns._replace(origin=origin)


def _columns_at_once(
    asked: Asked, percepts: Sequence[Percept], before: FeatureColumns | None = None
) -> FeatureColumns | None:
    """Return the columns of queries that ask for the same features.

    Nearly always all do, and numpy then lays them out in one call.

    Returns:
        None if they do not, or if what is sensed does not fit: the queries are then
        made one by one, and the one at fault says so.
    """
    asks, sources = {key[1:] for _, key in asked}, _settings_of(asked)
    if len(asks) != 1 or sources is None:
        return None
    [(order, columns)] = asks
    count = len(asked)
    names = _names_of(order)
    increments = [settings["feature_evidence_increment"] for settings, _ in asked]
    sources = [*(one.features for one in percepts), *sources]
    parts = [source[name] for source in sources for name in names]
    sizes = sizes_of(parts)
    widths = sizes[: len(names)]
    sensed = count * len(names)
    if sum(widths) != columns or sizes[:sensed] != widths * count:
        return None
    try:
        if sizes != widths * (3 * count):
            # A setting may be one number for all columns of a feature.
            wide = map(np.broadcast_to, parts[sensed:], widths * (2 * count))
            parts[sensed:] = wide
        rows = np.concatenate(parts, axis=None, dtype=np.float64, casting="unsafe")
    except (TypeError, ValueError):
        return None
    # Settings by value: whoever changes one may do so in its array.
    end = count * columns
    origin = order, widths, rows.tobytes()[rows.itemsize * end :], increments
    if before is not None and before.origin == origin:
        return before._replace(values=rows[:end])
    values, tolerances, weights = rows.reshape(3, end)
    if 0.0 in weights.reshape(count, -1).sum(axis=1).tolist():
        return None
    kinds = itertools.chain.from_iterable(map(kinds_of, names, widths))
    return FeatureColumns(
        counts=np.full(count, columns),
        values=values,
        tolerances=tolerances,
        weights=weights,
        kinds=np.array([*kinds] * count, dtype=np.int8),
        increments=np.array(increments, dtype=np.float64),
        origin=origin,
    )


def _settings_of(asked: Asked) -> list[Mapping[str, Any]] | None:
    """Return tolerances, then weights; None if one does not use features."""
    tolerances, weights = [], []
    for settings, key in asked:
        channel = key.channel
        if not settings["use_features_for_matching"][channel]:
            return None
        tolerances.append(settings["tolerances"][channel])
        weights.append(settings["feature_weights"][channel])
    return tolerances + weights


@cache
def _names_of(order: tuple[str, ...]) -> list[str]:
    """Return the features that have columns."""
    return [name for name in order if name not in WITHOUT_COLUMNS]


def sizes_of(parts: Sequence[Any]) -> list[int]:
    """Return how many numbers each part has."""
    try:
        return [part.size for part in parts]
    except AttributeError:  # numbers or lists are among them
        return list(map(np.size, parts))


def _query(
    settings: Mapping[str, Any], key: QueryKey, percept: Percept
) -> FeatureQuery:
    if not settings["use_features_for_matching"][key.channel]:
        return _POSE_ONLY
    return make_feature_query(
        key.feature_order,
        key.columns,
        percept.features,
        settings["tolerances"][key.channel],
        settings["feature_weights"][key.channel],
        settings["feature_evidence_increment"],
    )


_POSE_ONLY = FeatureQuery(
    values=np.zeros(0),
    tolerances=np.zeros(0),
    weights=np.zeros(0),
    kinds=np.zeros(0, dtype=np.int8),
    increment=0.0,
)


def _joined(parts: Sequence[npt.NDArray]) -> npt.NDArray[np.float64]:
    return np.concatenate([np.zeros(0), *parts])
