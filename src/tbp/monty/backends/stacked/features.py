# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The feature columns of all queries of a step."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import Percept
from tbp.monty.backends.numpy.features import kinds_of, make_feature_query
from tbp.monty.backends.stacked.plans import QueryKey

__all__ = ["FeatureColumns", "feature_columns", "joined", "sizes_of"]

_FLOAT64 = np.dtype(np.float64)


class FeatureColumns(NamedTuple):
    """The feature columns of queries, one query after the other.

    Attributes:
        counts: How many columns each query has; 0 if only the pose is matched.
        tolerances: For each column; see `FeatureQuery`.
        weights: Same shape.
        kinds: Same shape.
        increments: The evidence of a perfect match, for each query.
    """

    counts: npt.NDArray[np.int64]
    tolerances: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    kinds: npt.NDArray[np.int8]
    increments: npt.NDArray[np.float64]


def feature_columns(
    asked: Sequence[tuple[Mapping[str, Any], QueryKey]], percepts: Sequence[Percept]
) -> FeatureColumns:
    """Return all of what `make_feature_query` returns but the values, in less time.

    Args:
        asked: For each query, the settings of the updater and what is asked.
        percepts: For each query, what is sensed; only the sizes of features count.
    """
    are_used, counts, increments = [], [], []
    kinds: list[int] = []
    tolerances, weights = [], []
    for (settings, key), percept in zip(asked, percepts, strict=True):
        channel, names, columns = key
        is_used = bool(settings["use_features_for_matching"][channel])
        if not is_used:
            names, columns = (), 0
        widths = sizes_of([percept.features[name] for name in names])
        if sum(widths) != columns:
            _refuse(settings, key, percept)
        for name, width in zip(names, widths, strict=True):
            tolerances.append(_wide(settings["tolerances"][channel][name], width))
            weights.append(_wide(settings["feature_weights"][channel][name], width))
            kinds += kinds_of(name, width)
        are_used.append(is_used)
        counts.append(sum(widths))
        increments.append(settings["feature_evidence_increment"] if is_used else 0.0)
    made = FeatureColumns(
        counts=np.array(counts, dtype=np.int64),
        tolerances=joined(tolerances),
        weights=joined(weights),
        kinds=np.array(kinds, dtype=np.int8),
        increments=np.array(increments, dtype=np.float64),
    )
    owners = np.repeat(np.arange(len(asked)), counts)
    sums = np.bincount(owners, made.weights, len(asked)).tolist()
    for i, percept in enumerate(percepts):
        if are_used[i] and sums[i] == 0.0:
            _refuse(*asked[i], percept)
    return made


def sizes_of(parts: Sequence[Any]) -> list[int]:
    """Return how many numbers each part has."""
    try:
        return [part.size for part in parts]
    except AttributeError:  # numbers or lists are among them
        return list(map(np.size, parts))


def joined(parts: Sequence[Any]) -> npt.NDArray[np.float64]:
    """Return the numbers of arrays; faster than an array of arrays."""
    try:
        if [part.dtype for part in parts].count(_FLOAT64) == len(parts):
            # Bytes are joined in a quarter of the time.
            return np.frombuffer(bytearray().join(parts))
    except (AttributeError, TypeError):  # numbers, lists, or strided arrays
        pass
    return np.concatenate(parts, axis=None, dtype=np.float64, casting="unsafe")


def _wide(setting: npt.ArrayLike, width: int) -> npt.ArrayLike:
    """Return a setting of each column; it may be one number for all of them."""
    return setting if np.size(setting) == width else np.broadcast_to(setting, width)


def _refuse(settings: Mapping[str, Any], key: QueryKey, percept: Percept) -> None:
    """Raise what `make_feature_query` raises."""
    make_feature_query(
        key.features,
        key.columns,
        percept.features,
        settings["tolerances"][key.channel],
        settings["feature_weights"][key.channel],
    )
