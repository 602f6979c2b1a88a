# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Rotations of poses are made when they are used."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tbp.monty.frameworks.utils.rotation_of_matrix import (
    is_near_rotation,
    rotation_of_matrix,
)
from tbp.monty.geometry import Rotation

__all__ = ["UnusedRotation", "rotation_of_pose"]


class UnusedRotation(Rotation):
    """A rotation that nobody has used. It becomes a plain `Rotation` when it is used.

    A copy or a pickle of it is a plain one, too.
    """

    def __init__(self, matrix: npt.NDArray[np.float64]) -> None:
        """Put off making a rotation.

        Args:
            matrix: The matrix to make it of; nobody else may have it.
        """
        self._matrix = matrix

    def __getattr__(self, name: str) -> Any:
        """Make the rotation, because it is asked for."""
        if name != "_rot":
            raise AttributeError(f"'Rotation' object has no attribute {name!r}")
        matrix = vars(self).get("_matrix")
        if matrix is not None:  # Otherwise another thread has just made it.
            self._rot = rotation_of_matrix(matrix)
            self.__class__ = Rotation  # type: ignore[assignment]
            vars(self).pop("_matrix", None)
        return vars(self)["_rot"]

    def __reduce__(self) -> Any:
        return Rotation, (self._rot,)

    def __deepcopy__(self, _memo: dict[int, Any]) -> Rotation:
        return self  # No method changes a rotation.


def rotation_of_pose(pose: npt.ArrayLike) -> Rotation:
    """Return the rotation of a pose, made now only if scipy may refuse it.

    Args:
        pose: A matrix, or anything that `Rotation.from_matrix` takes.
    """
    if not is_near_rotation(pose):
        return Rotation.from_matrix(pose)
    return UnusedRotation(np.array(pose))
