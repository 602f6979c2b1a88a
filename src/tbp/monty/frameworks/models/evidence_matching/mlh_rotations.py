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

_KEPT_PER_GRAPH = 2
"""Rotations: a goal compares the two likeliest poses of a graph."""


class MLHRotations:
    """Caches the rotations of each graph's most likely poses, the last two asked for.

    It also caches the inverse and the matrix that were asked for last.
    """

    def __init__(self) -> None:
        self._known: dict[str, dict[bytes, Rotation]] = {}
        self._inverted: tuple[Rotation, Rotation] | None = None
        self._matrix: tuple[Rotation, npt.NDArray[np.float64]] | None = None

    def of(self, graph_id: str, pose: npt.NDArray[np.float64]) -> Rotation:
        """Return the rotation of a pose.

        Args:
            graph_id: The graph whose most likely pose it is.
            pose: The pose, as a rotation matrix.
        """
        # Compared by their bytes: 0.0 and -0.0 may give different rotations.
        content = np.asarray(pose).tobytes()
        rotation = self._known.get(graph_id, {}).get(content)
        if rotation is None:
            rotation = rotation_of_pose(pose)
        self._keep(graph_id, content, rotation)
        return rotation

    def _keep(self, graph_id: str, content: bytes, rotation: Rotation) -> None:
        known = self._known.setdefault(graph_id, {})
        known.pop(content, None)  # the one that was asked for last becomes the last
        if len(known) == _KEPT_PER_GRAPH:
            del known[next(iter(known))]
        known[content] = rotation

    def inverse_of(self, rotation: Rotation) -> Rotation:
        """Return the inverse of a rotation, the same one while it is asked for again.

        Args:
            rotation: The rotation.
        """
        if self._inverted is None or self._inverted[0] is not rotation:
            self._inverted = rotation, rotation.inv()
        return self._inverted[1]

    def matrix_of(self, rotation: Rotation) -> npt.NDArray[np.float64]:
        """Return a rotation as a matrix, which nobody else has.

        Args:
            rotation: The rotation.
        """
        if self._matrix is None or self._matrix[0] is not rotation:
            self._matrix = rotation, rotation.as_matrix()
        return self._matrix[1].copy()
