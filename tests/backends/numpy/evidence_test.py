# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import unittest

import numpy as np

from tbp.monty.backends.numpy.graph_update import GraphUpdate
from tests.backends.numpy.scene_state import SceneState, settings_of, update_of
from tests.backends.numpy.scenes import Scene, random_scene
from tests.backends.numpy.upstream import (
    displacer_of,
    hypotheses_of,
    sensed_features,
)

TOLERANCE = 1e-12


class UpdatedHypothesesTest(unittest.TestCase):
    """Hypotheses are updated as upstream's displacer updates them."""

    # No nodes share a place and differ in features here: the shape of upstream's k-d
    # tree would decide which of them is among the nearest.
    def test_on_random_learning_modules(self) -> None:
        for seed in range(60):
            random = np.random.default_rng(seed)
            scene = random_scene(
                seed,
                nodes=random.choice([1, 5, 60, 200]),
                hypotheses=random.choice([1, 100, 300]),
                channels=int(random.integers(1, 4)),
                neighbors=random.choice([1, 2, 3, 10, 64]),
                features=[(), ("hsv",), ("object_id", "hsv", "texture")][seed % 3],
                displaced=random.random() < 0.7,
                tested=random.choice([1.0, 0.5, 0.1]),
            )
            with self.subTest(seed=seed):
                self.assert_agrees(scene)

    def test_on_perfect_matches(self) -> None:
        for seed in range(5):
            scene = random_scene(
                seed, perfect=1.0, hypotheses=2000, nodes=200, neighbors=5
            )
            self.assert_agrees(scene)

    def test_on_identical_nodes(self) -> None:
        scene = random_scene(2, nodes=100, hypotheses=200, neighbors=10)
        for nodes in scene.nodes.values():
            for array in vars(nodes).values():
                array[1:] = array[0]
        self.assert_agrees(scene)

    def test_of_several_curvatures_the_largest_magnitude_counts(self) -> None:
        scene = random_scene(4, hypotheses=200)
        for sensed in scene.sensed.values():
            sensed["curvature"] = sensed["principal_curvatures_log"]
        self.assert_agrees(scene)

    def test_without_a_hypothesis_above_the_threshold(self) -> None:
        scene = random_scene(3, hypotheses=50)
        before = scene.hypotheses["object_0"]
        after, error = self.update_of(scene, "object_0").updated(before, np.inf)
        self.assertIsNone(error)
        np.testing.assert_array_equal(after.evidence, before.evidence)
        self.assertFalse(np.array_equal(after.locations, before.locations))

    def update_of(self, scene: Scene, graph: str) -> GraphUpdate:
        state = SceneState(scene)
        return GraphUpdate(
            graph_id=graph,
            nodes={one: state.nodes(graph, one) for one in scene.channels_of(graph)},
            of_lm=update_of(state, "default", settings_of(scene), scene.displacement),
        )

    def assert_agrees(self, scene: Scene) -> None:
        displacer, features = displacer_of(scene), sensed_features(scene)
        for graph, before in scene.hypotheses.items():
            if not len(before):
                continue
            theirs = hypotheses_of(before)
            if scene.displacement is not None:
                theirs = displacer.displace_hypotheses(scene.displacement, theirs)
            threshold = scene.thresholds.get(graph, -np.inf)
            theirs, telemetry = displacer.compute_evidence(
                features, threshold, graph, theirs
            )
            ours, error = self.update_of(scene, graph).updated(before, threshold)
            np.testing.assert_array_equal(ours.locations, theirs.locations)
            np.testing.assert_array_equal(ours.poses, theirs.poses)
            np.testing.assert_array_equal(ours.possible, theirs.possible)
            self.assert_close(ours.evidence, theirs.evidence)
            self.assert_close(error, telemetry.mlh_prediction_error)

    def assert_close(self, ours, theirs) -> None:
        np.testing.assert_allclose(ours, theirs, rtol=TOLERANCE, atol=TOLERANCE)


if __name__ == "__main__":
    unittest.main()
