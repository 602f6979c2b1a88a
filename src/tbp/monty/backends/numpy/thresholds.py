# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How much evidence a hypothesis needs to be tested on a step."""

from __future__ import annotations

from typing import Callable, Mapping

import numpy as np
import numpy.typing as npt

__all__ = ["InvalidThreshold", "update_threshold"]

_OF_ONE_GRAPH: Mapping[str, Callable[[npt.NDArray[np.float64]], float]] = {
    "all": np.min,
    "mean": np.mean,
    "median": np.median,
}


class InvalidThreshold(ValueError):
    """The setting is unknown."""


def update_threshold(
    setting: float | str,
    x_percent: float,
    highest_of_all: float,
    evidence: npt.NDArray[np.float64],
) -> float:
    """Return the least evidence with which a graph's hypotheses are tested.

    Args:
        setting: A number; "mean", "median" or "all" of the graph's hypotheses; or how
            far below the highest evidence of all graphs, as "20%", or as
            "x_percent_threshold".
        x_percent: The percentage for "x_percent_threshold".
        highest_of_all: The evidence of the most likely hypothesis of all graphs.
        evidence: The evidence of the graph's hypotheses.

    Returns:
        The threshold; 0 without hypotheses.

    Raises:
        InvalidThreshold: If the setting is not one of these.
    """
    if len(evidence) == 0:
        return 0.0
    if isinstance(setting, (int, float)):
        return setting
    if setting in _OF_ONE_GRAPH:
        return _OF_ONE_GRAPH[setting](evidence)
    # The next two formulas round differently, which matters for hypotheses exactly at
    # the threshold.
    if setting == "x_percent_threshold":
        return highest_of_all - highest_of_all / 100 * float(x_percent)
    percentage = _percentage(setting)
    if not 0 <= percentage <= 100:
        raise InvalidThreshold(
            "evidence_threshold_config must be a number, '0%' to '100%', 'mean', "
            f"'median', 'all' or 'x_percent_threshold', got {setting!r}"
        )
    return highest_of_all - highest_of_all * (percentage / 100)


def _percentage(setting: str) -> float:
    """Return the number before a percent sign, or NaN."""
    try:
        return float(setting.strip("%")) if setting.endswith("%") else np.nan
    except (AttributeError, ValueError):
        return np.nan
