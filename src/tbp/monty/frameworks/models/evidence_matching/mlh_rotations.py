# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The rotations of most likely hypotheses."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbp.monty.frameworks.utils.unused_rotation import rotation_of_pose
from tbp.monty.geometry import Rotation

__all__ = ["MLHRotations"]

_KEPT = 8
"""Rotations: a goal compares up to four poses, often those of the last goal."""


class MLHRotations:
    """Caches the rotations of most likely poses, and the last inverse."""

    def __init__(self) -> None:
        self._known: dict[bytes, Rotation] = {}
        self._inverted: tuple[Rotation, Rotation] | None = None

    def of(self, pose: npt.NDArray[np.float64]) -> Rotation:
        """Return the rotation of a pose.

        Args:
            pose: The pose, as a rotation matrix.
        """
        # Compared by their bytes: 0.0 and -0.0 may give different rotations.
        content = np.asarray(pose).tobytes()
        rotation = self._known.get(content)
        if rotation is None:
            rotation = rotation_of_pose(pose)
            if len(self._known) == _KEPT:
                del self._known[next(iter(self._known))]  # the oldest
            self._known[content] = rotation
        return rotation

    def inverse_of(self, rotation: Rotation) -> Rotation:
        """Return the inverse of a rotation, the same one while it is asked for again.

        Args:
            rotation: The rotation.
        """
        if self._inverted is None or self._inverted[0] is not rotation:
            self._inverted = rotation, rotation.inv()
        return self._inverted[1]
