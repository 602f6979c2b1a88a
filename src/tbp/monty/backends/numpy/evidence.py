# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The update of evidence.

Angles are never computed; only additions, subtractions, multiplications, divisions and
square roots occur. All processors round these the same way, except that BLAS may fuse a
multiplication with an addition where poses are rotated.

- The evidence of a surface normal falls with the sine of half its angular error. With
  t the cosine of the angle, that is sqrt((1 - t) / 2).
- A curvature direction and its opposite mean the same, so its evidence falls with the
  sine of the angle itself, sqrt((1 - t) * (1 + t)). Written as 1 - t * t, it would lose
  half of its digits where the match is good.
- A node matches if its *modulated* distance is less than the radius: the Euclidean
  distance plus a penalty for being off the tangent plane.
- A hypothesis takes the best one of its nearest nodes. A node that does not match
  has evidence -1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.described_work import HypothesisRows, Nodes, Percept
from tbp.monty.backends.numpy.neighbors import nearest_nodes

__all__ = ["BEST_MATCH", "NO_MATCH", "ChannelMatch", "rotated", "updated_hypotheses"]

NO_MATCH = -1.0
BEST_MATCH = 2.0


@dataclass(frozen=True)
class ChannelMatch:
    """What a graph stores for an input channel, what is sensed, and how both match.

    Attributes:
        nodes: What is stored.
        percept: What is sensed.
        scores: The evidence of each node's features, shape (nodes,).
        normal_weight: How much the surface normal counts.
        direction_weight: How much the first curvature direction counts.
        radius: How far from a hypothesis a node may be to match.
        neighbors: How many of the nearest nodes to look at.
    """

    nodes: Nodes
    percept: Percept
    scores: npt.NDArray[np.float64]
    normal_weight: float
    direction_weight: float
    radius: float
    neighbors: int


def updated_hypotheses(
    hypotheses: HypothesisRows,
    displacement: npt.NDArray[np.float64] | None,
    matches: Sequence[ChannelMatch],
    *,
    threshold: float,
    past_weight: float,
    present_weight: float,
) -> tuple[HypothesisRows, float | None]:
    """Displace the hypotheses of a graph and update their evidence.

    Args:
        hypotheses: The hypotheses.
        displacement: How the sensor has moved, shape (3,); None if it has not yet.
        matches: The input channels, in the order in which their evidence is added.
        threshold: Hypotheses with less evidence are displaced but not tested.
        past_weight: How much the evidence so far counts.
        present_weight: How much the evidence of this step counts.

    Returns:
        The hypotheses with new locations and evidence, and the prediction error: how
        far, from 0 to 1, this step's evidence of the formerly most likely hypothesis is
        below the best possible; None if no hypothesis was tested.
    """
    past = hypotheses.evidence
    # Unusable numbers are detected in the results.
    with np.errstate(invalid="ignore", over="ignore"):
        if displacement is not None:
            moved = hypotheses.locations + rotated(hypotheses.poses, displacement)
            hypotheses = replace(hypotheses, locations=moved)
        tested = np.flatnonzero(past >= threshold)
        if len(tested) == 0:
            return hypotheses, None
        present = np.zeros(len(hypotheses))
        for match in matches:
            new = _channel_evidence(
                match, hypotheses.locations[tested], hypotheses.poses[tested]
            )
            # Untested hypotheses must neither gain nor lose against the worst tested
            # one.
            of_channel = np.full(len(hypotheses), max(0.0, new.min()))
            of_channel[tested] = new
            present += of_channel
        evidence = past * past_weight + present * present_weight
    missing = BEST_MATCH * len(matches) - present[np.argmax(past)]
    error = missing / ((BEST_MATCH - NO_MATCH) * len(matches))
    return replace(hypotheses, evidence=evidence), error


def _channel_evidence(
    match: ChannelMatch,
    locations: npt.NDArray[np.float64],
    poses: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Return this step's evidence from one input channel for each hypothesis.

    Args:
        match: What is stored and what is sensed.
        locations: Where the hypotheses are, shape (n, 3).
        poses: Their rotations, shape (n, 3, 3).

    Returns:
        Shape (n,); -1 without a match.
    """
    if len(match.nodes.locations) == 0:
        return np.full(len(locations), NO_MATCH)
    normals, directions = (
        rotated(poses, vector)[:, np.newaxis]
        for vector in match.percept.pose_vectors[:2]
    )
    nearest = nearest_nodes(match.nodes.locations, locations, match.neighbors)
    evidence = _pose_evidence(match, nearest, normals, directions)
    evidence = evidence + match.scores[nearest]
    distances = _modulated_distances(match, nearest, locations, normals)
    evidence[distances >= match.radius] = NO_MATCH
    return evidence.max(axis=1)


def rotated(
    poses: npt.NDArray[np.float64], vector: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return a vector turned by each of many rotations, shape (n, 3)."""
    # One unit in the last place moves the evidence of a perfect match by 1e-8. This is
    # the product that the learning module uses, so both round the same way.
    return poses.dot(vector)


def _pose_evidence(
    match: ChannelMatch,
    nearest: npt.NDArray[np.int_],
    normals: npt.NDArray[np.float64],
    directions: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    nodes = match.nodes
    cosine = _cosine(nodes.pose_vectors[nearest, 0], normals)
    evidence = (0.5 - np.sqrt((1.0 - cosine) * 0.5)) * match.normal_weight
    if not match.percept.pose_fully_defined:
        return evidence
    cosine = _cosine(nodes.pose_vectors[nearest, 1], directions)
    of_directions = 0.5 - np.sqrt((1.0 - cosine) * (1.0 + cosine))
    of_directions = of_directions * nodes.pose_fully_defined[nearest]
    return evidence + of_directions * match.direction_weight


def _modulated_distances(
    match: ChannelMatch,
    nearest: npt.NDArray[np.int_],
    locations: npt.NDArray[np.float64],
    normals: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    away = match.nodes.locations[nearest] - locations[:, np.newaxis]
    off_plane = np.abs(_dot(away, normals))
    # The more curved the surface, the less its tangent plane says.
    penalty = 1.0 / (np.max(np.abs(match.percept.curvature)) + 0.5)
    return np.sqrt(_dot(away, away)) + off_plane * penalty


def _cosine(
    one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    return np.clip(_dot(one, other), -1.0, 1.0)


def _dot(
    one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    x, y, z = (one[..., axis] * other[..., axis] for axis in range(3))
    return (x + y) + z
