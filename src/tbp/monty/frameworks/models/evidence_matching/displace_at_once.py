# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Displaces all hypotheses that a backend has at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.failures import CannotRun
from tbp.monty.backends.hypotheses import displace

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )

__all__ = ["left_to_displace"]


def left_to_displace(
    lm: EvidenceGraphLM, displacement: npt.NDArray[np.float64]
) -> Iterable[tuple[str, Hypotheses]]:
    """Displace the hypotheses that a backend has, as their updater would.

    Args:
        lm: The learning module.
        displacement: How the sensor has moved, shape (3,).

    Returns:
        Those that are yet to be displaced, and their graphs.
    """
    hypotheses = lm._hypotheses
    is_known = _is_known(lm.hypotheses_updater)
    left = displace(hypotheses, displacement) if is_known else hypotheses
    return [(graph_id, hypotheses[graph_id]) for graph_id in left]


def _is_known(updater: Any) -> bool:
    if not hasattr(updater, "settings"):
        return False
    try:
        updater.settings()
    except CannotRun:
        return False
    return True
