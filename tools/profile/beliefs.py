# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What learning modules believe, read without changing it."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from typing import Any

from tbp.monty.backends.hypotheses import known_evidence
from tbp.monty.frameworks.utils.logging_utils import compute_pose_error
from tbp.monty.frameworks.utils.spatial_arithmetics import rotations_to_quats
from tbp.monty.geometry import Rotation

__all__ = ["belief", "lm_id", "outcome", "target_of"]

_MOST_OBJECTS = 5


def lm_id(lm: Any) -> str:
    """Returns the name of a learning module, as its backend knows it."""
    return str(getattr(lm, "learning_module_id", type(lm).__name__))


def target_of(experiment: Any) -> str | None:
    """Returns the object that an episode is about, if there is one."""
    target = getattr(experiment.env_interface, "primary_target", None)
    name = target.get("object") if isinstance(target, Mapping) else None
    return None if name is None else str(name)


def belief(lm: Any) -> dict[str, Any]:
    """Returns what a learning module believes after a step; see `schema`."""
    hypotheses = getattr(lm, "_hypotheses", None) or {}
    known = known_evidence(hypotheses, list(hypotheses))
    if known is None:
        filled = {name: one for name, one in hypotheses.items() if one.count}
        highest = [(float(one.evidence.max()), name) for name, one in filled.items()]
    else:
        highest = list(zip(known[1].tolist(), known[0], strict=True))
    count = sum(one.count for one in hypotheses.values())
    most_likely = getattr(lm, "current_mlh", {}).get("graph_id")
    best = heapq.nlargest(_MOST_OBJECTS, highest)
    return {
        "hypotheses": count,
        "most_likely": str(most_likely) if count and most_likely is not None else None,
        "evidence": {
            str(name): round(value, 6) for value, name in best if math.isfinite(value)
        },
    }


def outcome(lm: Any) -> dict[str, Any]:
    """Returns how an episode ended for a learning module; see `schema`."""
    state = getattr(lm, "terminal_state", None)
    recognised = getattr(lm, "detected_object", None)
    return {
        "result": None if state is None else str(state),
        "recognised": None if recognised is None else str(recognised),
        "rotation_error_deg": _rotation_error(lm),
    }


def _rotation_error(lm: Any) -> float | None:
    """Returns how far the rotation is from the target's, if the object is the target.

    As in upstream's statistics: for a match the best of the symmetric rotations, else
    the rotation of the most likely hypothesis.
    """
    target = getattr(lm, "primary_target_rotation_quat", None)
    mlh = getattr(lm, "current_mlh", None)
    if target is None or mlh is None or mlh.get("mlh_id") is None:
        return None
    has_matched = lm.terminal_state == "match"
    found = lm.detected_object if has_matched else mlh["graph_id"]
    if lm.primary_target not in lm.graph_id_to_target.get(found, ()):
        return None
    rotations, stats = mlh["rotation"].inv(), lm.buffer.stats
    if has_matched and stats.get("symmetric_rotations") is not None:
        quats = rotations_to_quats(stats["symmetric_rotations"], invert=True)
        rotations = Rotation.from_quat(quats)
    elif has_matched:
        rotations = Rotation.from_quat(stats["detected_rotation_quat"])
    error = compute_pose_error(rotations, Rotation.from_quat(target), True)
    return round(float(error), 4) if math.isfinite(error) else None
