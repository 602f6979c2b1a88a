# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The memory of learning modules, without the parts that only learning needs."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ..recording.digest import digest

__all__ = ["memory_digest", "memory_of"]

GRIDS = ("_observation_count", "_feature_grid", "_location_grid")
"""Attributes in which a model collects observations; matching reads its graph."""


def memory_of(lm: Any, *, to_learn: bool) -> dict[str, Any]:
    """Returns the memory of a learning module, in a form that can be loaded again.

    Args:
        lm: The learning module.
        to_learn: Whether it may learn more. If not, the voxels of its models, which are
            most of their size, are left out.
    """
    state = dict(lm.state_dict())
    if not to_learn and "graph_memory" in state:
        state["graph_memory"] = {
            graph_id: _without_grids(models)
            for graph_id, models in state["graph_memory"].items()
        }
    return state


def memory_digest(lm: Any) -> dict[str, Any]:
    """Returns a digest of the memory that a learning module matches with."""
    if not hasattr(lm, "state_dict"):
        return {}
    state = memory_of(lm, to_learn=False)
    # Its beliefs are compared step by step.
    state.pop("_hypotheses", None)
    return {"memory": digest(state)}


def _without_grids(models: Any) -> Any:
    if isinstance(models, Mapping):
        return {channel: _without_grids(model) for channel, model in models.items()}
    lean = copy.copy(models)
    for name in GRIDS:
        if hasattr(lean, name):
            setattr(lean, name, None)
    return lean
