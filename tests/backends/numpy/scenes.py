# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Random learning modules: their memories, their hypotheses and their percepts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.numpy.features import FeatureQuery, make_feature_query

__all__ = ["Nodes", "Scene", "random_frames", "random_scene"]

FEATURES = {
    "hsv": 3,
    "principal_curvatures_log": 2,
    "object_id": 1,
    "texture": 5,
    "spectrum": 19,
}


@dataclass
class Nodes:
    """What a graph stores for one input channel."""

    locations: np.ndarray
    pose_vectors: np.ndarray
    pose_fully_defined: np.ndarray
    features: np.ndarray

    def __len__(self) -> int:
        return len(self.locations)


@dataclass
class Scene:
    """One learning module on one step."""

    name: str
    radius: float
    neighbors: int
    order: dict[str, list[str]]
    nodes: dict[tuple[str, str], Nodes]
    hypotheses: dict[str, HypothesisRows]
    sensed: dict[str, dict[str, Any]]
    tolerances: dict[str, dict[str, Any]]
    weights: dict[str, dict[str, Any]]
    increment: float = 1.0
    displacement: np.ndarray | None = None
    thresholds: dict[str, float] = field(default_factory=dict)
    past_weight: float = 1.0
    present_weight: float = 1.0

    def channels_of(self, graph: str) -> list[str]:
        return [channel for channel in self.sensed if (graph, channel) in self.nodes]

    def feature_query(self, channel: str) -> FeatureQuery:
        """Return the features that a channel senses, as columns."""
        order = self.order[channel]
        return make_feature_query(
            order,
            sum(FEATURES[name] for name in order),
            self.sensed[channel],
            self.tolerances[channel],
            self.weights[channel],
            self.increment,
        )


def random_frames(random: np.random.Generator, count: int) -> np.ndarray:
    """Return right-handed orthonormal frames, shape (count, 3, 3)."""
    frames, _ = np.linalg.qr(random.normal(size=(count, 3, 3)))
    return frames * np.sign(np.linalg.det(frames))[:, np.newaxis, np.newaxis]


def random_scene(
    seed: int,
    name: str = "lm",
    graphs: int = 2,
    nodes: int = 60,
    hypotheses: int = 80,
    channels: int = 1,
    neighbors: int = 3,
    features: tuple[str, ...] = ("hsv", "principal_curvatures_log"),
    perfect: float = 0.3,
    repeated_nodes: float = 0.0,
    repeated_whole: bool = False,
    far_away: float = 0.1,
    displaced: bool = True,
    tested: float = 1.0,
) -> Scene:
    """Return a learning module made from random numbers.

    Args:
        seed: The seed of all random numbers.
        name: The name of the learning module.
        graphs: How many graphs it knows.
        nodes: How many nodes a graph has at most.
        hypotheses: How many hypotheses it has for a graph at most.
        channels: How many input channels it has; not every graph knows them all.
        neighbors: How many nearest nodes a hypothesis is compared with.
        features: Which features are sensed.
        perfect: The fraction of hypotheses that match a node except for rounding.
        repeated_nodes: The fraction of nodes at the place of another node.
        repeated_whole: Whether these also copy everything else that the node stores.
        far_away: The fraction of hypotheses that are far from every node.
        displaced: Whether the sensor has moved.
        tested: The fraction of hypotheses with enough evidence to be tested.
    """
    random = np.random.default_rng(seed)
    names = [f"patch_{i}" for i in range(channels)]
    scene = Scene(
        name=name,
        radius=random.uniform(0.005, 0.03),
        neighbors=neighbors,
        order={channel: list(features) for channel in names},
        nodes={},
        hypotheses={},
        sensed={channel: _sensed(random, features) for channel in names},
        tolerances={channel: _tolerances(random, features) for channel in names},
        weights={channel: _weights(random, features) for channel in names},
        increment=random.choice([1.0, 0.5]),
        displacement=random.normal(size=3) * 0.01 if displaced else None,
        past_weight=random.choice([1.0, 0.3]),
        present_weight=random.choice([1.0, 0.7]),
    )
    for i in range(graphs):
        graph = f"object_{i}"
        for channel in names:
            if channel == names[0] or random.random() < 0.7:
                scene.nodes[graph, channel] = _nodes(
                    random,
                    1 + random.integers(nodes),
                    features,
                    repeated_nodes,
                    repeated_whole,
                )
        rows = _hypotheses(random, scene, graph, hypotheses, perfect, far_away)
        scene.hypotheses[graph] = rows
        if tested < 1 and len(rows):
            scene.thresholds[graph] = np.quantile(rows.evidence, 1 - tested)
    return scene


def _nodes(random, count, features, repeated, repeated_whole) -> Nodes:
    directions = random.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    nodes = Nodes(
        locations=directions * random.uniform(0.01, 0.06),
        pose_vectors=random_frames(random, count).reshape(count, 9),
        pose_fully_defined=(random.random((count, 1)) < 0.8).astype(float),
        features=np.hstack(
            [_feature(random, name, count) for name in features]
            or [np.zeros((count, 0))]
        ),
    )
    copies = np.flatnonzero(random.random(count) < repeated)
    originals = random.integers(count, size=len(copies))
    for array in vars(nodes).values() if repeated_whole else (nodes.locations,):
        array[copies] = array[originals]
    return nodes


def _feature(random, name, count):
    if name == "object_id":
        return random.integers(3, size=(count, 1)).astype(float)
    return random.random((count, FEATURES[name]))


def _sensed(random, features) -> dict[str, Any]:
    sensed = {name: _feature(random, name, 1)[0] for name in features}
    curvatures = sensed.get("principal_curvatures_log")
    sensed["pose_vectors"] = random_frames(random, 1)[0]
    sensed["pose_fully_defined"] = bool(random.random() < 0.7)
    sensed["curvature"] = 10 if curvatures is None else np.abs(curvatures).max()
    return sensed


def _tolerances(random, features) -> dict[str, Any]:
    return {name: random.uniform(0.1, 1.0, FEATURES[name]) for name in features}


def _weights(random, features) -> dict[str, Any]:
    weights = {name: random.uniform(0.1, 1.0, FEATURES[name]) for name in features}
    return {"pose_vectors": random.choice([1.0, 0.5, 2.5], size=3), **weights}


def _hypotheses(random, scene, graph, most, perfect, far_away) -> HypothesisRows:
    count = int(random.integers(most + 1))
    channel = scene.channels_of(graph)[0]
    nodes, sensed = scene.nodes[graph, channel], scene.sensed[channel]
    at = random.integers(len(nodes), size=count)
    poses = random_frames(random, count)
    locations = nodes.locations[at] + random.normal(size=(count, 3)) * scene.radius / 2
    locations[random.random(count) < far_away] += 1e3

    # Rotate the sensed frame onto the node's, and move back by the displacement.
    is_perfect = random.random(count) < perfect
    frames = nodes.pose_vectors[at].reshape(count, 3, 3)
    poses[is_perfect] = (frames.transpose(0, 2, 1) @ sensed["pose_vectors"])[is_perfect]
    moved = 0 if scene.displacement is None else poses @ scene.displacement
    locations[is_perfect] = (nodes.locations[at] - moved)[is_perfect]
    return HypothesisRows(
        evidence=random.normal(size=count) * 3,
        locations=locations,
        poses=poses,
        possible=random.random(count) < 0.5,
    )
