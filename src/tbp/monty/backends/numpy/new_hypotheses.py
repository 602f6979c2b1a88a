# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses made from what is sensed.

We call the same numpy functions as the learning module. New poses are therefore equal
to the last bit, and the same nodes are chosen among those with equal scores.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import HypothesisRows

__all__ = ["aligning_poses", "best_nodes", "hypotheses_at", "sensed_frames"]

_TURNED = np.array([[1], [-1], [-1]], dtype=np.int8)
"""The signs of pose vectors that are turned by 180 degrees about the normal."""


def hypotheses_at(
    locations: npt.NDArray[np.float64],
    scores: npt.NDArray[np.float64],
    poses: npt.NDArray[np.float64],
) -> HypothesisRows:
    """Return hypotheses for nodes, none of them possible yet.

    Args:
        locations: Where the nodes are, shape (n, 3).
        scores: The evidence of their features, shape (n,).
        poses: All nodes in their first pose, then all in the next; shape
            (poses * n, 3, 3).

    Returns:
        The hypotheses, in the order of the poses.
    """
    times = len(poses) // max(1, len(locations))
    return HypothesisRows(
        evidence=np.tile(scores, times),
        locations=np.tile(locations, (times, 1)),
        poses=poses,
        possible=np.zeros(len(poses), dtype=np.bool_),
    )


def sensed_frames(
    pose_vectors: npt.NDArray[np.float64], count: int
) -> npt.NDArray[np.float64]:
    """Return the frames that the sensed pose vectors may stand for.

    Args:
        pose_vectors: Sensed surface normal and curvature directions, shape (3, 3).
        count: How many frames. Two are the sensed frame and the same turned by 180
            degrees about the normal, because the sign of a curvature direction means
            nothing. Any other number means that there is no curvature direction; the
            frames are spread evenly about the normal.

    Returns:
        Shape (count, 3, 3).
    """
    if count == 2:
        return np.array([pose_vectors, pose_vectors * _TURNED])
    normal, first, second = pose_vectors
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)[:, np.newaxis]
    firsts = np.cos(angles) * first + np.sin(angles) * second
    seconds = np.cross(normal, firsts)
    return np.stack([np.broadcast_to(normal, firsts.shape), firsts, seconds], axis=1)


def aligning_poses(
    node_frames: npt.NDArray[np.float64], frames: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the rotations that turn each sensed frame into each node's frame.

    Args:
        node_frames: Orthonormal pose vectors of nodes as rows, shape (n, 3, 3).
        frames: Orthonormal sensed pose vectors as rows, shape (f, 3, 3).

    Returns:
        Shape (f * n, 3, 3): all nodes for the first frame, then for the next.
    """
    columns = node_frames.transpose(0, 2, 1)
    return np.concatenate([np.matmul(columns, frame) for frame in frames])


def best_nodes(scores: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.int_]:
    """Return the nodes with the highest scores, the best last."""
    # Neither a stable sort nor a partition: equal scores must be ordered as by the
    # learning module's sort.
    return np.argsort(scores)[len(scores) - count :]
