# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Displaces hypotheses without an update of their evidence."""

from __future__ import annotations

from typing import Dict, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.numpy.evidence import rotated
from tbp.monty.backends.tables.segments import Segments

__all__ = ["Moves", "displace", "displaced_location", "displaced_locations"]

Moves = Dict[int, Sequence[npt.NDArray[np.float64]]]
"""By segment, how its hypotheses move, one displacement of shape (3,) after another."""


def displace(table: Segments, moves: Moves) -> None:
    """Displace hypotheses of any table, with numpy.

    Args:
        table: The hypotheses.
        moves: Which of them move, and how.
    """
    for segment, displacements in moves.items():
        locations = table.read(segment, "locations")
        poses = table.read(segment, "poses")
        displaced = displaced_locations(locations, poses, displacements)
        table.write(segment, "locations", displaced)


def displaced_locations(
    locations: npt.NDArray[np.float64],
    poses: npt.NDArray[np.float64],
    displacements: Sequence[npt.NDArray[np.float64]],
) -> npt.NDArray[np.float64]:
    """Return the locations after displacements, each rotated by the poses.

    Args:
        locations: Shape (n, 3).
        poses: Rotation matrices, shape (n, 3, 3).
        displacements: One of shape (3,) after another.
    """
    for displacement in displacements:
        locations = locations + rotated(poses, displacement)
    return locations


def displaced_location(
    location: npt.NDArray[np.float64],
    pose: npt.NDArray[np.float64],
    displacements: Sequence[npt.NDArray[np.float64]],
) -> npt.NDArray[np.float64]:
    """Return one location after displacements, with the bits that it has among others.

    Args:
        location: Shape (3,).
        pose: A rotation matrix.
        displacements: One of shape (3,) after another.
    """
    one, its_pose = location[np.newaxis], pose[np.newaxis]
    return displaced_locations(one, its_pose, displacements)[0]
