# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How many hypotheses a graph has."""

from __future__ import annotations

from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.resident_hypotheses import (
    ResidentHypotheses,
)

__all__ = ["hypothesis_count"]


def hypothesis_count(hypotheses: Hypotheses) -> int:
    """Return how many hypotheses a graph has, without reading them.

    To read the evidence would copy it, and write it back before the next update,
    because the reader may have changed it.

    Args:
        hypotheses: The hypotheses of a graph.
    """
    if isinstance(hypotheses, ResidentHypotheses):
        return hypotheses.count
    return len(hypotheses.evidence)
