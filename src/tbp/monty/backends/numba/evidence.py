# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The update of evidence, compiled: all hypotheses of all graphs in one launch.

The same arithmetic as in `numpy.evidence`, in the same order. Where a multiplication
and an addition are to be fused, that is said.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numba import kernels
from tbp.monty.backends.numba.scores import score_nodes
from tbp.monty.backends.numpy.rounding import numpy_fuses_dots
from tbp.monty.backends.tables.blocks import make_blocks
from tbp.monty.backends.tables.graphs import GraphTable
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.kernel_work import (
    KernelWork,
    UpdateResult,
    raise_unusable,
)

__all__ = ["update"]


class _Hypotheses(NamedTuple):
    evidence: npt.NDArray[np.float64]
    locations: npt.NDArray[np.float64]
    poses: npt.NDArray[np.float64]


class _Found(NamedTuple):
    """What each block of hypotheses has found out for its segment.

    Attributes:
        unusable: The first hypothesis with unusable numbers, or -1.
        tested: How many hypotheses were tested.
        least: The least gain of these from each input channel.
        highest: The highest evidence, first before and then after this step.
        highest_row: The first hypothesis that has it.
    """

    unusable: npt.NDArray[np.int64]
    tested: npt.NDArray[np.int64]
    least: npt.NDArray[np.float64]
    highest: npt.NDArray[np.float64]
    highest_row: npt.NDArray[np.int64]


def update(
    table: HypothesisTable,
    graphs: GraphTable,
    work: KernelWork,
    scores: npt.NDArray[np.float64] | None = None,
    fused: bool | None = None,
) -> UpdateResult:
    """Displace hypotheses and update their evidence.

    Either all segments are updated or, if there is an error, none.

    Args:
        table: The hypotheses.
        graphs: The graphs.
        work: What is to be computed.
        scores: The evidence of the nodes' features, if it was computed before.
        fused: How rotations are rounded. Defaults to how numpy does it here.

    Returns:
        What the learning modules read next.
    """
    scores = score_nodes(graphs, work) if scores is None else scores
    row_starts, row_counts = table.starts[work.segments], table.counts[work.segments]
    blocks = make_blocks(row_starts, row_counts)
    result = UpdateResult.room_for(work)
    block_count = len(blocks.owners)
    if block_count == 0:
        return result
    # Made here, as compiled code would make parallel loops of it.
    found = _Found(
        unusable=np.empty(block_count, dtype=np.int64),
        tested=np.empty(block_count, dtype=np.int64),
        least=np.full((block_count, np.diff(work.match_starts).max()), np.inf),
        highest=np.empty(block_count),
        highest_row=np.empty(block_count, dtype=np.int64),
    )
    failed_block = kernels.update(
        numpy_fuses_dots() if fused is None else fused,
        blocks,
        row_starts,
        work,
        graphs.arrays,
        scores,
        _Hypotheses(table.evidence, table.locations, table.poses),
        np.empty(row_counts.sum()),
        found,
        result,
    )
    if failed_block >= 0:
        position = blocks.owners[failed_block]
        raise_unusable(
            table,
            int(work.segments[position]),
            int(found.unusable[failed_block] - row_starts[position]),
        )
    return result
