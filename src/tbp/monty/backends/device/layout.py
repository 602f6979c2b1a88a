# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What the host and a device's kernels agree on: structures and constants.

They are stated here and nowhere else. `cuda.source` makes the C of them, which precedes
the kernels; so a number or a field cannot change on one side only.
"""

from __future__ import annotations

from tbp.monty.backends.device.structures import Structure

__all__ = [
    "BOX",
    "CHANNEL_BYTES",
    "FOUND_BYTES",
    "GRAPHS",
    "GRID",
    "HYPOTHESES",
    "RESULT",
    "SAMPLES",
    "SEGMENT_BYTES",
    "STRUCTURES",
    "VOTES",
    "WORK",
]

# --- Stored graphs --------------------------------------------------------------------

_INTS, _REALS = "const i64*", "const real*"

GRAPHS = Structure(
    "Graphs",
    "The stored graphs.",
    [
        (_INTS, "node_starts", "(graphs + 1,)"),
        (_REALS, "places", "(nodes, 4): location, and whether directions count"),
        (_REALS, "poses", "(nodes, 6): normal and first direction"),
        (_REALS, "frames", "(nodes, 9): and the second direction"),
        (_REALS, "features", "of each graph one column after the other"),
        (_INTS, "feature_starts", "(graphs + 1,)"),
        ("const Box*", "boxes", "for each graph"),
        ("const Grid*", "grids", "for each graph"),
        ("const unsigned int*", "cell_starts", "among the members of a graph"),
        ("const unsigned int*", "members", "the nodes in reach of each cell, in order"),
    ],
)

BOX = Structure(
    "Box",
    "Where the nodes of a graph are.",
    [
        ("real[3]", "lowest, highest"),
        ("real[3]", "origin", "of the grid"),
        ("real", "cells_per_unit"),
        ("real", "radius", "how far away a node may be to match"),
    ],
)

GRID = Structure(
    "Grid",
    "The cells of a graph.",
    [
        ("i64[3]", "cells", "along each axis"),
        ("i64", "first_cell, first_member"),
    ],
)

# --- Hypotheses -----------------------------------------------------------------------

HYPOTHESES = Structure(
    "Hypotheses",
    "A table of hypotheses. Columns have two sides.",
    [
        ("real*[2]", "evidence"),
        ("real*[2]", "locations", "(3, capacity)"),
        ("real*[2]", "poses", "(9, capacity)"),
        ("real*[2]", "window", "(WINDOW_SLOTS, capacity)"),
        ("real*[2]", "slopes"),
        ("int*[2]", "ages"),
        ("i64", "capacity"),
    ],
)

# --- A step ---------------------------------------------------------------------------

WORK = Structure(
    "Work",
    "What a step computes.",
    [
        (_INTS, "row_starts", "for each segment"),
        ("i64*", "row_counts", "changed by what deletes and appends"),
        ("i64*", "sides", "of each column, which side is read"),
        ("i64*", "to_sides", "and which one is written"),
        (_INTS, "is_displaced"),
        (_REALS, "displacements", "(segments, 3)"),
        (_REALS, "thresholds, past_weights, present_weights"),
        (_INTS, "match_starts", "(segments + 1,)"),
        (_INTS, "block_starts", "(segments + 1,)"),
        (_INTS, "match_graphs", "for each match"),
        (_INTS, "match_queries, score_starts"),
        (_REALS, "sensed", "(queries, 6): normal and first direction"),
        (_INTS, "direction_known", "for each query"),
        (_REALS, "curvatures"),
        (_REALS, "pose_weights", "(queries, 2)"),
        (_INTS, "neighbors"),
        (_INTS, "column_starts", "(queries + 1,)"),
        (_REALS, "increments, weight_sums"),
        (_REALS, "values", "for each sensed feature column"),
        (_REALS, "tolerances, weights"),
        (_INTS, "kinds"),
        (_INTS, "block_owners", "for each block of hypotheses"),
        (_INTS, "block_firsts", "its first hypothesis, from the segment's start"),
        ("real*", "scores", "for each node of each match with features"),
        ("Found*", "found", "for each warp of each block"),
        ("real*", "least", "(blocks, channels)"),
        ("i64", "channels", "how many a segment has at most"),
        ("Result*", "results", "for each segment"),
        ("i64*", "failed", "whether the numbers of a hypothesis are unusable"),
        ("i64", "fuse_rotations, fuse_products"),
        ("Segment*", "segments", "made of the above by `score_nodes`"),
        ("Channel*", "match_channels", "likewise, for each match"),
    ],
)

SAMPLES = Structure(
    "Samples",
    "New hypotheses.",
    [
        (_INTS, "positions", "the segment of each sample, by position in the work"),
        (_INTS, "row_offsets", "its first row, after those its segment has"),
        (_INTS, "graphs"),
        (_INTS, "match_samples", "the sample of each match; -1 without one"),
        (_INTS, "score_starts", "-1 without features"),
        ("i64* const*", "nodes", "which of the graph's; null for all of them"),
        ("i64*", "are_tied", "whether numpy must choose these, for equal scores"),
        (_INTS, "node_counts, pose_starts, pose_counts, is_aligned"),
        (_REALS, "head_starts"),
        (_INTS, "block_owners", "for each block of new hypotheses"),
        (_INTS, "block_firsts"),
        (_REALS, "poses", "(poses, 9): given ones, or sensed frames"),
    ],
)

VOTES = Structure(
    "Votes",
    "Votes for the hypotheses of segments.",
    [
        (_REALS, "locations", "(votes, 3)"),
        (_REALS, "confidences", "for each vote"),
        (_INTS, "vote_starts", "(segments + 1,)"),
        (_REALS, "numbers", "(segments, 3): how far, its square to search, weight"),
        (_INTS, "are_bounded, row_starts, row_counts, sides", "for each segment"),
        (_INTS, "place_starts", "of each segment in `is_unsure`"),
        (_INTS, "block_owners", "the segment of each block"),
        (_INTS, "block_firsts", "the first place of each block"),
        ("unsigned char*", "is_unsure", "for each hypothesis"),
        ("Result*", "results", "for each segment"),
        ("i64*", "unsure", "for each segment, how many hypotheses are"),
    ],
)

_RESULT = Structure(
    "Result",
    "What a learning module reads next, for each segment.",
    [
        ("double", "highest, highest_slope, prediction_error, untested_gain"),
        ("double[3]", "location"),
        ("double[9]", "pose"),
        ("i64", "most_likely, tested, count, sides, unusable"),
        ("i64", "second_most_likely", "-1 if there is none or others are as likely"),
        ("double", "second_highest"),
        ("double[3]", "second_location"),
        ("double[9]", "second_pose"),
    ],
)

# --- Records that only kernels read and write -----------------------------------------

_FOUND = Structure(
    "Found",
    "What a warp has found out of its hypotheses.",
    [
        ("real", "highest_before"),
        ("i64", "row_before"),
        ("real", "gain_before, highest"),
        ("i64", "row"),
        ("real", "highest_slope"),
        ("i64", "tested, unusable"),
    ],
)

_SEGMENT = Structure(
    "Segment",
    "What all hypotheses of a segment have in common, side by side in memory: a block "
    "loads it at once.",
    [
        ("i64", "row_start, row_count, sides, to_sides, first_match, channels"),
        ("i64", "is_displaced"),
        ("real[3]", "displacement"),
        ("real", "threshold, past_weight, present_weight"),
        ("real[2]", "unused", "records are read as a whole, in sixteens of bytes"),
    ],
    alignment=16,
)

_CHANNEL = Structure(
    "Channel",
    "And what they have in common in one input channel.",
    [
        ("const struct Two*", "places, poses"),
        (_REALS, "scores", "null without features"),
        ("const unsigned int*", "cell_starts, members"),
        ("real[3]", "lowest", "what is in reach of a node is between these"),
        ("real[3]", "highest, origin"),
        ("real", "cells_per_unit, radius"),
        ("real", "reach", "a squared distance that is slightly beyond the radius"),
        ("real[6]", "sensed", "normal and first direction"),
        ("real", "plane_factor, normal_weight, direction_weight"),
        ("int[3]", "shape", "cells along each axis"),
        ("int", "wanted, direction_known"),
    ],
    alignment=16,
)

STRUCTURES = tuple(one for one in vars().values() if isinstance(one, Structure))
"""All of the above, in this order."""

RESULT = _RESULT.dtype()

# In single precision they take no more.
FOUND_BYTES, SEGMENT_BYTES, CHANNEL_BYTES = (
    structure.dtype().itemsize for structure in (_FOUND, _SEGMENT, _CHANNEL)
)
