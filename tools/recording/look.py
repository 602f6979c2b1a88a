# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Reads the state of a Monty without changing it.

We read attributes, and call only methods that compute a value and store nothing:
`Rotation.as_quat`, `state_dict` of a learning module.
(`EvidenceGraphLM._get_current_mlh`, for example, is not called: it moves the location
of the most likely hypothesis.) Attributes that a learning module lacks are skipped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .digest import digest

__all__ = [
    "HYPOTHESES_ARRAYS",
    "counters",
    "hypotheses_of",
    "lm_after_episode",
    "lm_after_step",
    "lm_memory",
    "per_lm",
]

ABSENT: Any = object()
HYPOTHESIS_FIELDS = ("graph_id", "mlh_id", "location", "rotation", "scale", "evidence")
HYPOTHESES_ARRAYS = ("evidence", "locations", "poses", "possible")
"""All that upstream keeps for a hypothesis."""
COUNTERS = ("total_steps", "episode_steps", "matching_steps", "exploratory_steps")


def counters(monty: Any) -> dict[str, Any]:
    """Returns how many steps of each kind a Monty has counted."""
    return _present(monty, *COUNTERS)


def per_lm(monty: Any, look: Callable[[Any], dict]) -> dict[str, dict]:
    """Returns what `look` returns for each learning module of a Monty."""
    return {
        str(getattr(lm, "learning_module_id", f"number {i}")): look(lm)
        for i, lm in enumerate(monty.learning_modules)
    }


def lm_after_step(lm: Any) -> dict[str, Any]:
    """Returns what a learning module believes after a step."""
    seen = _present(lm, "terminal_state")
    matches = getattr(lm, "possible_matches", ABSENT)
    if matches is not ABSENT:
        names = sorted(matches) if isinstance(matches, set) else list(matches)
        seen["possible_matches"] = names
    hypothesis = getattr(lm, "current_mlh", None)
    if hypothesis is not None:
        seen["most_likely"] = {
            key: hypothesis[key] for key in HYPOTHESIS_FIELDS if key in hypothesis
        }
    if hasattr(lm, "_hypotheses"):
        seen["hypotheses"] = {
            graph_id: {
                "count": len(of_graph.evidence),
                "max_evidence": _max(of_graph.evidence),
                "digest": digest(
                    [getattr(of_graph, name, None) for name in HYPOTHESES_ARRAYS]
                ),
            }
            for graph_id, of_graph in hypotheses_of(lm).items()
        }
    return seen


def hypotheses_of(lm: Any) -> dict[str, Any]:
    """Returns the hypotheses of a learning module by object."""
    return dict(getattr(lm, "_hypotheses", {}))


def _max(evidence: Any) -> Any:
    return np.max(evidence) if len(evidence) else None


def lm_after_episode(lm: Any) -> dict[str, Any]:
    """Returns the results of a learning module at the end of an episode."""
    seen = _present(
        lm,
        "terminal_state",
        "detected_object",
        "detected_pose",
        "stepwise_targets_list",
    )
    rotation = getattr(lm, "detected_rotation_r", ABSENT)
    if rotation is not ABSENT:
        seen["detected_rotation"] = rotation
    buffer = getattr(lm, "buffer", None)
    if buffer is not None:
        seen["observations"] = len(buffer)
        seen["processed_steps"] = buffer.stats.get("lm_processed_steps")
    return seen


def lm_memory(lm: Any) -> dict[str, Any]:
    """Returns a digest of the memory of a learning module."""
    state_dict = getattr(lm, "state_dict", None)
    return {} if state_dict is None else {"memory": digest(state_dict())}


def _present(thing: Any, *names: str) -> dict[str, Any]:
    values = {name: getattr(thing, name, ABSENT) for name in names}
    return {name: value for name, value in values.items() if value is not ABSENT}
