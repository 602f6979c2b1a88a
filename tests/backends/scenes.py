# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Random learning modules, stacked into tables."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tbp.monty.backends.tables.graphs import GraphTable, make_graph
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.kernel_work import KernelWork
from tbp.monty.backends.tables.segments import SegmentKey
from tests.backends.kernel_works import ChannelQuery, SegmentWork, kernel_work
from tests.backends.numpy.scenes import Scene, random_frames, random_scene

__all__ = [
    "Scene",
    "build",
    "on_a_lattice",
    "query_of",
    "random_frames",
    "random_scene",
    "scenes",
    "without_nodes",
]


def query_of(scene: Scene, channel: str) -> ChannelQuery:
    """Return what a channel senses, and how it is matched."""
    sensed = scene.sensed[channel]
    use_features = bool(scene.order[channel]) and scene.increment > 0
    normal_weight, direction_weight, _ = scene.weights[channel]["pose_vectors"]
    return ChannelQuery(
        pose_vectors=sensed["pose_vectors"],
        pose_fully_defined=sensed["pose_fully_defined"],
        curvature=sensed["curvature"],
        normal_weight=normal_weight,
        direction_weight=direction_weight,
        neighbors=scene.neighbors,
        features=scene.feature_query(channel) if use_features else None,
    )


def build(
    scenes: list[Scene], window_size: int = 0
) -> tuple[HypothesisTable, GraphTable, KernelWork]:
    """Return the tables and the work of learning modules, stacked."""
    table = HypothesisTable(window_size)
    graphs = GraphTable(
        {
            (scene.name, graph, channel): make_graph(
                graph,
                nodes.locations,
                nodes.pose_vectors,
                nodes.pose_fully_defined,
                nodes.features,
                scene.radius,
            )
            for scene in scenes
            for (graph, channel), nodes in scene.nodes.items()
        }
    )
    queries, segments = [], []
    for scene in scenes:
        first = len(queries)
        channels = list(scene.sensed)
        queries.extend(query_of(scene, channel) for channel in channels)
        for graph, rows in scene.hypotheses.items():
            segment = table.index(SegmentKey(scene.name, graph))
            table.append(segment, rows)
            matches = [
                (graphs.index((scene.name, graph, channel)), first + i)
                for i, channel in enumerate(channels)
                if (graph, channel) in scene.nodes
            ]
            if matches:
                segments.append(
                    SegmentWork(
                        segment,
                        matches,
                        scene.displacement,
                        scene.thresholds.get(graph, -np.inf),
                        scene.past_weight,
                        scene.present_weight,
                    )
                )
    return table, graphs, kernel_work(queries, segments, graphs)


def on_a_lattice(seed: int, neighbors: int) -> Scene:
    """Return nodes and hypotheses of which many are equally far from each other."""
    scene = random_scene(seed, nodes=300, hypotheses=300, neighbors=neighbors)
    for one in (*scene.nodes.values(), *scene.hypotheses.values()):
        one.locations[:] = np.round(one.locations / 0.01) * 0.01
    scene.displacement = None
    scene.radius = 0.025
    return scene


def without_nodes() -> Scene:
    """Return hypotheses for graphs that have no nodes."""
    scene = random_scene(4, hypotheses=20)
    for nodes in scene.nodes.values():
        for name, array in vars(nodes).items():
            setattr(nodes, name, array[:0])
    return scene


def scenes(**fixed) -> st.SearchStrategy[Scene]:
    """Return a strategy for learning modules, with some settings fixed.

    Args:
        **fixed: Values of settings, or strategies for them.
    """
    settings = dict(
        seed=st.integers(0, 2**32 - 1),
        graphs=st.integers(1, 4),
        nodes=st.sampled_from([1, 5, 60, 200]),
        hypotheses=st.sampled_from([0, 1, 100, 300]),
        channels=st.integers(1, 3),
        neighbors=st.sampled_from([1, 2, 3, 10, 64]),
        features=st.sampled_from(
            [
                (),
                ("hsv",),
                ("hsv", "principal_curvatures_log"),
                ("object_id", "hsv", "texture"),
                ("spectrum", "hsv"),
            ]
        ),
        perfect=st.sampled_from([0.0, 0.5, 1.0]),
        repeated_nodes=st.sampled_from([0.0, 0.5, 1.0]),
        far_away=st.sampled_from([0.0, 0.2]),
        displaced=st.booleans(),
        tested=st.sampled_from([1.0, 0.5, 0.1]),
    )
    for name, value in fixed.items():
        is_strategy = isinstance(value, st.SearchStrategy)
        settings[name] = value if is_strategy else st.just(value)
    return st.builds(random_scene, **settings)
