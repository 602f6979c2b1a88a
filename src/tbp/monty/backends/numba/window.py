# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Recording the evidence after an update, and its slopes, compiled."""

from __future__ import annotations

from typing import Sequence

import numpy as np

from tbp.monty.backends.numba import kernels
from tbp.monty.backends.tables.blocks import make_blocks
from tbp.monty.backends.tables.hypotheses import HypothesisTable

__all__ = ["record"]


def record(
    table: HypothesisTable, segments: Sequence[int], channels: Sequence[int]
) -> None:
    """Record the evidence of all hypotheses after an update, and their slopes.

    Args:
        table: The hypotheses.
        segments: The segments that were updated.
        channels: How many input channels took part in the update of each.
    """
    segments = np.asarray(segments, dtype=np.int64)
    # The rings turn to the slot that is written next.
    table.newest[segments] = (table.newest[segments] + 1) % table.window_size
    table.window_channels[segments, table.newest[segments]] = channels
    blocks = make_blocks(table.starts[segments], table.counts[segments])
    if len(blocks.owners):
        kernels.record(
            blocks,
            table.newest[segments],
            table.window_channels[segments],
            table.evidence,
            table.window,
            table.ages,
            table.slopes,
        )
