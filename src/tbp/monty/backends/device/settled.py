# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a device is sent only when settings or graphs have changed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numpy.rounding import sum_as_numpy_does
from tbp.monty.backends.tables.kernel_work import KernelWork

__all__ = ["SETTLED", "settled_of", "weight_sums"]

SETTLED = (
    *("past_weights", "present_weights", "match_starts", "match_graphs"),
    *("match_queries", "score_starts", "pose_weights", "neighbors", "column_starts"),
    *("increments", "tolerances", "weights", "kinds"),
)
"""What is the same on one step after the other, as long as settings and graphs are."""


def settled_of(work: KernelWork) -> dict[str, npt.NDArray]:
    """Return what is the same for all works of a revision."""
    settled = {name: getattr(work, name) for name in SETTLED}
    return {**settled, "weight_sums": weight_sums(work)}


def weight_sums(work: KernelWork) -> npt.NDArray[np.float64]:
    """Return the sum of the feature weights of each query; 0.0 without features."""
    columns = len(work.weights) // max(1, len(work.increments))
    # Nearly always all have the same columns, and numpy adds along rows by itself.
    evenly = range(0, len(work.weights) + 1, columns or 1)
    if columns and work.column_starts.tolist() == [*evenly]:
        return work.weights.reshape(-1, columns).sum(axis=1)
    each = np.split(work.weights, work.column_starts[1:-1])
    return np.array([sum_as_numpy_does([*one]) if len(one) else 0.0 for one in each])
