# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What learning modules believe, read without changing it.

Nothing is brought over from a device for this, and votes that a backend has yet to add
are not added: evidence is what the last update found, with the votes added since.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.stacked.handed_out import HandedOut, HypothesesByGraph
from tbp.monty.frameworks.utils.logging_utils import compute_pose_error
from tbp.monty.frameworks.utils.spatial_arithmetics import rotations_to_quats
from tbp.monty.geometry import Rotation

__all__ = ["Seen", "belief", "lm_id", "look", "outcome", "target_of"]

_MOST_OBJECTS = 5


def lm_id(lm: Any) -> str:
    """Returns the name of a learning module, as its backend knows it."""
    return str(getattr(lm, "learning_module_id", type(lm).__name__))


def target_of(experiment: Any) -> str | None:
    """Returns the object that an episode is about, if there is one."""
    target = getattr(experiment.env_interface, "primary_target", None)
    name = target.get("object") if isinstance(target, Mapping) else None
    return None if name is None else str(name)


class Seen(NamedTuple):
    """What a learning module has after a step, to be worked out later.

    Attributes:
        hypotheses: Their number.
        most_likely: The object of the most likely one, if there are any.
        names: The objects.
        highest: The highest evidence for each; anything for those without hypotheses.
        is_empty: Which have no hypotheses; None if all have some.
    """

    hypotheses: int
    most_likely: Any
    names: Sequence[str]
    highest: npt.NDArray[np.float64]
    is_empty: npt.NDArray[np.bool_] | None


def look(lm: Any) -> Seen:
    """Returns what a learning module has; called after every step."""
    hypotheses = getattr(lm, "_hypotheses", None) or {}
    most_likely = getattr(lm, "current_mlh", {}).get("graph_id")
    if isinstance(hypotheses, HypothesesByGraph) and hypotheses.is_kept:
        return _in_table(hypotheses.handed_out, most_likely)
    return _in_arrays(hypotheses, most_likely)


def belief(seen: Seen) -> dict[str, Any]:
    """Returns what a learning module believed; see `schema`."""
    # Lists: with a few objects numpy would take longer.
    present = list(zip(seen.highest.tolist(), seen.names, strict=True))
    if seen.is_empty is not None:
        present = list(compress(present, (~seen.is_empty).tolist()))
    best = sorted(present, reverse=True)[:_MOST_OBJECTS]
    is_known = seen.hypotheses and seen.most_likely is not None
    most_likely = str(seen.most_likely) if is_known else None
    return {
        "hypotheses": seen.hypotheses,
        "most_likely": most_likely,
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


def _in_table(handed_out: HandedOut, most_likely: Any) -> Seen:
    highest = handed_out.highest
    if highest is None:
        return Seen(0, None, (), np.zeros(0), None)
    count = int(handed_out.table.counts[handed_out.updated].sum())
    # A copy: votes of the next step change it.
    names, is_empty = handed_out.graph_ids, handed_out.is_empty
    return Seen(count, most_likely, names, highest.copy(), is_empty)


def _in_arrays(hypotheses: Mapping[str, Any], most_likely: Any) -> Seen:
    arrays = [one.evidence for one in hypotheses.values()]
    highest = [evidence.max() if len(evidence) else 0.0 for evidence in arrays]
    return Seen(
        sum(map(len, arrays)),
        most_likely,
        [*hypotheses],
        np.array(highest),
        np.array([not len(evidence) for evidence in arrays], dtype=np.bool_),
    )


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
