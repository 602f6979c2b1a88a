# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What learning modules believe, in a form that processes can exchange."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

__all__ = ["beliefs", "end_state"]


def beliefs(monty: Any) -> list[dict[str, Any]]:
    """Return the number of hypotheses and the best one, for each learning module."""
    return [_beliefs_of(lm) for lm in monty.learning_modules]


def end_state(monty: Any) -> dict[str, Any]:
    """Return what the learning modules believe, with a digest of all hypotheses.

    Args:
        monty: The Monty.

    Returns:
        `beliefs`, `most` with the highest evidence per object and learning module,
        and `digest`, equal for states that are equal to the last bit.
    """
    digest = hashlib.sha256()
    most = []
    for lm in monty.learning_modules:
        most_of_lm = {}
        for name, hyps in sorted(lm._hypotheses.items()):
            evidence = np.asarray(hyps.evidence)
            most_of_lm[name] = float(evidence.max()) if len(evidence) else None
            digest.update(f"{name} {len(evidence)}".encode())
            for array in (evidence, hyps.locations, hyps.poses, hyps.possible):
                digest.update(np.ascontiguousarray(array).tobytes())
        most.append(most_of_lm)
    return {"beliefs": beliefs(monty), "most": most, "digest": digest.hexdigest()}


def _beliefs_of(lm: Any) -> dict[str, Any]:
    best = lm.current_mlh
    # There is none before the first step, or when all hypotheses were deleted.
    index = best["mlh_id"]
    return {
        "hypotheses": sum(len(hyps.evidence) for hyps in lm._hypotheses.values()),
        "object": str(best["graph_id"]),
        "hypothesis": None if index is None else int(index),
        "evidence": float(best["evidence"]),
    }
