# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses made from what is sensed: at the start, in a burst, for a new channel.

Done with the same numpy functions that upstream uses, so that new poses are equal to
upstream's to the last bit, and nodes with equal scores are chosen as upstream's sort
happens to leave them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.rounding import dot3
from tbp.monty.backends.tables import (
    Graph,
    GraphTable,
    HypothesisRows,
    HypothesisTable,
)

__all__ = [
    "Sample",
    "aligning_poses",
    "append_samples",
    "best_nodes",
    "numpy_fuses_matrix_products",
    "sampled_rows",
    "sensed_frames",
]


@dataclass(frozen=True)
class Sample:
    """Hypotheses to add: each of some nodes of a graph, in each of some poses.

    All nodes in the first pose come first, then all in the next.

    Attributes:
        segment: The segment of the table to add them to.
        graph: The index of the graph.
        nodes: Which of its nodes.
        scores: The evidence of the features of all its nodes.
        frames: What is sensed, as the pose vectors that a node may have, shape
            (poses, 3, 3).
        poses: Without frames, the poses themselves, shape (poses, 3, 3).
        head_start: What evidence to start with, besides that of the features. For an
            input channel that was silent until now, the mean of those hypotheses that
            exist: with less, the new ones could never catch up.
    """

    segment: int
    graph: int
    nodes: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    frames: npt.NDArray[np.float64] | None = None
    poses: npt.NDArray[np.float64] | None = None
    head_start: float = 0.0

    def __post_init__(self) -> None:
        if (self.frames is None) == (self.poses is None):
            raise ValueError("a sample has either frames or poses")

    @property
    def poses_per_node(self) -> int:
        return len(self.poses if self.frames is None else self.frames)

    def __len__(self) -> int:
        return len(self.nodes) * self.poses_per_node


def append_samples(
    table: HypothesisTable, graphs: GraphTable, samples: Sequence[Sample]
) -> None:
    """Add new hypotheses, none of them possible yet.

    Args:
        table: The hypotheses.
        graphs: The graphs.
        samples: What to add, in this order.
    """
    for sample in samples:
        rows = sampled_rows(sample, graphs.graph(sample.graph))
        table.append(sample.segment, rows)


def sampled_rows(sample: Sample, graph: Graph) -> HypothesisRows:
    """Return the hypotheses of a sample."""
    if sample.frames is None:
        poses = np.repeat(sample.poses, len(sample.nodes), axis=0)
    else:
        poses = aligning_poses(graph.pose_vectors[sample.nodes], sample.frames)
    times = sample.poses_per_node
    return HypothesisRows(
        evidence=np.tile(sample.scores[sample.nodes] + sample.head_start, times),
        locations=np.tile(graph.locations[sample.nodes], (times, 1)),
        poses=poses,
        possible=np.zeros(len(sample), dtype=np.bool_),
    )


def sensed_frames(
    pose_vectors: npt.NDArray[np.float64], count: int
) -> npt.NDArray[np.float64]:
    """Return the frames that the sensed pose vectors may stand for.

    Args:
        pose_vectors: Sensed surface normal and curvature directions, shape (3, 3).
        count: How many frames. Two are the one sensed and the same turned by 180
            degrees about the normal, as the sign of a curvature direction means
            nothing. Any other number is spread evenly about the normal, as there is no
            curvature direction then.

    Returns:
        Shape (count, 3, 3).
    """
    normal, first, second = pose_vectors
    if count == 2:
        return np.array([[normal, first, second], [normal, -first, -second]])
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)[:, np.newaxis]
    firsts = np.cos(angles) * first + np.sin(angles) * second
    seconds = np.cross(normal, firsts)
    return np.stack([np.broadcast_to(normal, firsts.shape), firsts, seconds], axis=1)


def aligning_poses(
    node_frames: npt.NDArray[np.float64], frames: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the rotations that turn each sensed frame into each node's.

    Args:
        node_frames: Orthonormal pose vectors of nodes as rows, shape (n, 3, 3).
        frames: Orthonormal sensed pose vectors as rows, shape (f, 3, 3).

    Returns:
        Shape (f * n, 3, 3): all nodes for the first frame, then for the next.
    """
    columns = node_frames.transpose(0, 2, 1)
    return np.concatenate(
        [np.zeros((0, 3, 3)), *(np.matmul(columns, frame) for frame in frames)]
    )


def best_nodes(scores: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.int64]:
    """Return the nodes with the highest scores, the best last."""
    # Not a stable sort, nor a partition: upstream's sort decides between equals.
    return np.argsort(scores)[len(scores) - count :]


@lru_cache(maxsize=1)
def numpy_fuses_matrix_products() -> bool:
    """Return whether numpy's products of stacked matrices are fused here."""
    random = np.random.default_rng(0)
    node_frames, frame = random.normal(size=(64, 3, 3)), random.normal(size=(3, 3))
    rows = [node_frames[:, i, :, np.newaxis] for i in range(3)]
    product = dot3(rows, frame, fused=True)
    return bool(np.array_equal(product, aligning_poses(node_frames, frame[np.newaxis])))
