# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Recording the evidence after an update, and its slopes, in torch."""

from typing import Sequence

import numpy as np
import torch

from tbp.monty.backends.numpy.rounding import sum_as_numpy_does
from tbp.monty.backends.tables.hypotheses import HypothesisTable

__all__ = ["record"]


def record(
    table: HypothesisTable, segments: Sequence[int], channels: Sequence[int]
) -> None:
    """Record the evidence after an update in which `channels` took part, and slopes."""
    size = table.window_size
    window = torch.from_numpy(table.window)
    for i, segment in enumerate(segments):
        newest = table.newest[segment] = (table.newest[segment] + 1) % size
        table.window_channels[segment, newest] = channels[i]
        rows = table.segment(segment)
        window[rows, newest] = torch.from_numpy(table.evidence[rows])
        table.ages[rows] += 1
        oldest_first = (newest + 1 + np.arange(size)) % size
        behind = torch.from_numpy(table.window_channels[segment, oldest_first])
        changes = window[rows][:, oldest_first].diff(dim=1) / behind[1:]
        known = (~changes.isnan()).sum(dim=1)
        total = sum_as_numpy_does(changes.nan_to_num(0.0).unbind(dim=1))
        table.slopes[rows] = total / known
