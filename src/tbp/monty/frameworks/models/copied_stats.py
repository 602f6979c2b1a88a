# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Copies statistics of a step, so that they stay what they were."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from tbp.monty import geometry
from tbp.monty.cmp import Goal
from tbp.monty.frameworks.utils.unused_rotation import UnusedRotation
from tbp.monty.geometry import Rotation

__all__ = ["copied"]

_NEVER_CHANGED = frozenset(
    {
        *(type(None), bool, int, float, str, np.bool_, np.int64, np.float64),
        *(Rotation, UnusedRotation),
    }
)

# Releases before 0.55 have no gaze direction.
_WITH_ATTRIBUTES = frozenset({Goal, getattr(geometry, "GazeDirection", Goal)})
"""Classes whose objects are what their attributes are."""


def copied(stat: Any) -> Any:
    """Return what `copy.deepcopy` returns, faster for what statistics are made of.

    A rotation is shared: no method changes it.
    """
    kind = type(stat)
    if kind in _NEVER_CHANGED:
        return stat
    if kind is np.ndarray and not stat.dtype.hasobject:
        return stat.copy("K")
    if kind is list:
        is_flat = _NEVER_CHANGED.issuperset(map(type, stat))
        return stat.copy() if is_flat else [copied(one) for one in stat]
    if kind is dict:
        made = stat.copy()
        for key, one in stat.items():
            if type(one) not in _NEVER_CHANGED:
                made[key] = copied(one)
        return made
    if kind in _WITH_ATTRIBUTES:
        made = object.__new__(kind)
        vars(made).update(copied(vars(stat)))
        return made
    own = getattr(kind, "__deepcopy__", None)  # `deepcopy` would call it, too.
    return copy.deepcopy(stat) if own is None else own(stat, {})
