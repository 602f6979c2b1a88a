# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Past evidence and its slopes.

The slope of a hypothesis is the mean change of its evidence over the last updates, per
input channel. Burst sampling deletes hypotheses whose slope is too low.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import EvidenceHistory

__all__ = [
    "MIN_AGE",
    "WINDOW_SIZE",
    "is_kept",
    "mean_slopes",
    "new_history",
    "recorded",
    "retained_history",
]

WINDOW_SIZE = 10
"""How many past values of the evidence count, including the present one."""

MIN_AGE = 5
"""A hypothesis is not deleted before it has had this many updates."""


def new_history(count: int) -> EvidenceHistory:
    """Return the history of hypotheses that have had no updates."""
    return EvidenceHistory(
        window=np.full((count, WINDOW_SIZE), np.nan),
        ages=np.zeros(count, dtype=np.int_),
        channels=np.ones(WINDOW_SIZE),
    )


def is_kept(
    slopes: npt.NDArray[np.float64],
    ages: npt.NDArray[np.int_],
    least_slope: float,
) -> npt.NDArray[np.bool_]:
    """Return which hypotheses are young, or have a slope that is high enough."""
    return (slopes >= least_slope) | (ages < MIN_AGE)


def retained_history(
    history: EvidenceHistory, keep: npt.NDArray[np.bool_]
) -> EvidenceHistory:
    """Return the history of some of the hypotheses."""
    return history._replace(window=history.window[keep], ages=history.ages[keep])


def recorded(
    history: EvidenceHistory, evidence: npt.NDArray[np.float64], channels: int
) -> EvidenceHistory:
    """Return the history with one more update.

    Args:
        history: The history of all hypotheses except new ones.
        evidence: The evidence of all hypotheses, new ones last.
        channels: How many input channels took part in the update.

    Returns:
        The history of all hypotheses.
    """
    new = new_history(len(evidence) - len(history.ages))
    window = np.concatenate([history.window, new.window])
    return EvidenceHistory(
        window=np.column_stack([window[:, 1:], evidence]),
        ages=np.concatenate([history.ages, new.ages]) + 1,
        channels=np.append(history.channels[1:], channels),
    )


def mean_slopes(
    window: npt.NDArray[np.float64], channels: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the mean change of evidence, NaN where there is none.

    Args:
        window: Evidence from the oldest to the newest, shape (n, updates).
        channels: How many input channels took part in each update.

    Returns:
        Shape (n,).
    """
    # The memory layout decides in which order numpy adds.
    changes = np.diff(np.ascontiguousarray(window), axis=1) / channels[1:]
    known = np.count_nonzero(~np.isnan(changes), axis=1)
    total = np.nansum(changes, axis=1)
    return np.where(known > 0, total / np.maximum(known, 1), np.nan)
