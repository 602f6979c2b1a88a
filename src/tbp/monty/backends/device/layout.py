# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How tables and works lie in a GPU's memory: the structures of `kernels.cu`.

A structure is a row of 64-bit numbers: addresses of arrays, and integers.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

__all__ = [
    "CELL",
    "CHANNEL_BYTES",
    "COMBINE_THREADS",
    "FOUND_BYTES",
    "GRAPHS",
    "HYPOTHESES",
    "LIST_BYTES",
    "MEMBER",
    "RESULT",
    "SAMPLES",
    "SEGMENT_BYTES",
    "SEGMENT_THREADS",
    "SINGLE_NUMBERS",
    "UPDATE_THREADS",
    "UPDATE_WARPS",
    "WARP",
    "WORK",
    "structure",
]

UPDATE_THREADS, COMBINE_THREADS, SEGMENT_THREADS = 128, 32, 256
WARP = 32
UPDATE_WARPS = UPDATE_THREADS // WARP

GRAPHS = (
    "node_starts",
    "are_single",
    "singles",
    "places",
    "poses",
    "frames",
    "features",
    "feature_starts",
    "feature_columns",
    "boxes",
    "grids",
    "cell_starts",
    "members",
    "spots",
    "reaches",
    "cells",
    "lists",
)

HYPOTHESES = (
    "evidence_0",
    "evidence_1",
    "locations_0",
    "locations_1",
    "poses",
    "possible",
    "window",
    "slopes",
    "ages",
    "capacity",
)

WORK = (
    "row_starts",
    "row_counts",
    "sides",
    "is_displaced",
    "displacements",
    "thresholds",
    "past_weights",
    "present_weights",
    "match_starts",
    "block_starts",
    "match_graphs",
    "match_queries",
    "score_starts",
    "sensed",
    "direction_known",
    "plane_factors",
    "pose_weights",
    "neighbors",
    "column_starts",
    "increments",
    "weight_sums",
    "values",
    "tolerances",
    "weights",
    "kinds",
    "block_owners",
    "block_firsts",
    "scores",
    "found",
    "least",
    "channels",
    "results",
    "failed",
    "fuse_rotations",
    "fuse_products",
    "segments",
    "match_channels",
)

SAMPLES = (
    "positions",
    "row_offsets",
    "graphs",
    "score_starts",
    "node_starts",
    "node_counts",
    "pose_starts",
    "pose_counts",
    "is_aligned",
    "head_starts",
    "block_owners",
    "block_firsts",
    "nodes",
    "poses",
)

MEMBER = np.dtype(
    [("x", np.float32), ("y", np.float32), ("z", np.float32), ("node", np.uint32)]
)

SINGLE_NUMBERS = 12
"""Of a node: location, whether directions count, normal, first direction, nothing."""

CELL = np.dtype([("mask", np.uint64), ("first", np.uint32), ("unused", np.uint32)])

LIST_BYTES = 64
"""What a list of nodes takes that are near a part of a cell."""

RESULT = np.dtype(
    [
        ("highest", np.float64),
        ("highest_slope", np.float64),
        ("prediction_error", np.float64),
        ("untested_gain", np.float64),
        ("location", np.float64, 3),
        ("pose", np.float64, 9),
        ("most_likely", np.int64),
        ("tested", np.int64),
        ("count", np.int64),
        ("unusable", np.int64),
    ]
)

SEGMENT_BYTES, CHANNEL_BYTES = 112, 272
"""What a segment and a match are for a kernel takes at most that much."""

FOUND_BYTES = 64
"""What a warp finds out of its hypotheses takes at most that much."""


def structure(
    fields: Sequence[str], values: Mapping[str, Any]
) -> npt.NDArray[np.int64]:
    """Return a structure.

    Args:
        fields: Its fields, in order.
        values: A number for each of them, and no others.

    Returns:
        The numbers.
    """
    if values.keys() != set(fields):
        wrong = sorted(values.keys() ^ set(fields))
        raise ValueError(f"fields missing or unknown: {', '.join(wrong)}")
    return np.array([values[field] for field in fields], dtype=np.int64)
