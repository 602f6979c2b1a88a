# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses to add to a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Sample"]


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
        head_start: Evidence to start with, added to that of the features. For a channel
            that is new to the graph it is the mean of the existing hypotheses; with
            less, the new ones could never catch up.
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
    def given(self) -> npt.NDArray[np.float64]:
        """The frames or the poses."""
        given = self.poses if self.frames is None else self.frames
        assert given is not None
        return given

    def __len__(self) -> int:
        return len(self.nodes) * len(self.given)
