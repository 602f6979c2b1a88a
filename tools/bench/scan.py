# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The order in which a sensor comes to the nodes of an object.

A learned model has its nodes in the order in which they were learned: view after view,
and in a view along the spiral that upstream's policy for learning follows. Thus the
nodes of models trained on YCB objects are 1.1 to 1.6 times as far from the next one as
from the nearest one. It matters for what is timed: hypotheses that are computed one
after the other look at the same nodes.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

__all__ = ["scan_order"]

Array = npt.NDArray[np.float64]

_SIDES = np.concatenate([np.eye(3), -np.eye(3)])
_CORNERS = np.array(list(product((1, -1), repeat=3))) / np.sqrt(3)
VIEWS = np.concatenate([_SIDES, _CORNERS])
"""Where the sensor looks from, one after the other: as in upstream's experiments that
learn, from the sides and from the corners of a cube around the object."""

SEEN = 0.8
"""The least cosine between a normal and the direction to the sensor at which a node is
seen. Every normal has it with one of the views."""


def scan_order(
    locations: Array, normals: Array, spacing: float
) -> npt.NDArray[np.int64]:
    """Return the order in which nodes are learned.

    Args:
        locations: Where the nodes are. Shape (n, 3).
        normals: The outward unit normals there. Shape (n, 3).
        spacing: About how far apart two turns of the spiral are.

    Returns:
        The indices of the nodes, first the one that is learned first.
    """
    views = np.argmax(normals @ VIEWS.T >= SEEN, axis=1)
    turns = np.empty(len(locations))
    angles = np.empty(len(locations))
    for number, view in enumerate(VIEWS):
        seen = np.flatnonzero(views == number)
        if len(seen) == 0:
            continue
        right = np.cross(np.eye(3)[np.argmin(np.abs(view))], view)
        x, y = locations[seen] @ right, locations[seen] @ np.cross(view, right)
        x, y = x - x.mean(), y - y.mean()
        turns[seen] = np.hypot(x, y) // spacing
        angles[seen] = np.arctan2(y, x)
    return np.lexsort([angles, turns, views])
