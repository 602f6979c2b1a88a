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
from hypothesis import HealthCheck, given, settings

from tbp.monty.backends import arithmetic
from tbp.monty.backends.numbers import UnusableNumbers
from tests.backends.scenes import Scene, build, random_scene, scenes
from tests.backends.upstream import displacer_of, hypotheses_of, sensed_features

TOLERANCE = 1e-12


class UpdateAgreesWithUpstreamTest(unittest.TestCase):
    # Nodes at the same place with different features are left out here: which of them
    # is among the nearest is decided by the shape of upstream's k-d tree.
    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(scene=scenes(repeated_nodes=0.0))
    def test_on_random_learning_modules(self, scene: Scene) -> None:
        self.assert_agrees(scene)

    def test_on_perfect_matches(self) -> None:
        for seed in range(5):
            scene = random_scene(
                seed, perfect=1.0, hypotheses=2000, nodes=200, neighbors=5
            )
            self.assert_agrees(scene)

    def test_on_nodes_that_are_all_the_same(self) -> None:
        scene = random_scene(2, nodes=100, hypotheses=200, neighbors=10)
        for nodes in scene.nodes.values():
            for array in vars(nodes).values():
                array[1:] = array[0]
        self.assert_agrees(scene)

    def assert_agrees(self, scene: Scene) -> None:
        displacer = displacer_of(scene)
        features = sensed_features(scene)
        expected = {}
        for graph, rows in scene.hypotheses.items():
            hypotheses = hypotheses_of(rows)
            if not len(rows):
                continue
            if scene.displacement is not None:
                hypotheses = displacer.displace_hypotheses(
                    scene.displacement, hypotheses
                )
            expected[graph] = displacer.compute_evidence(
                features, scene.thresholds.get(graph, -np.inf), graph, hypotheses
            )

        table, graphs, work = build([scene])
        result = arithmetic.update(table, graphs, work)
        for i, segment in enumerate(work.segments):
            graph = table.keys[segment.segment].graph
            if graph not in expected:
                self.assertEqual(result.most_likely[i], -1)
                continue
            hypotheses, telemetry = expected[graph]
            rows = table.rows(segment.segment)
            np.testing.assert_array_equal(rows.locations, hypotheses.locations)
            np.testing.assert_array_equal(rows.poses, hypotheses.poses)
            np.testing.assert_array_equal(rows.possible, hypotheses.possible)
            np.testing.assert_allclose(
                rows.evidence, hypotheses.evidence, rtol=TOLERANCE, atol=TOLERANCE
            )
            np.testing.assert_allclose(
                result.prediction_error[i],
                telemetry.mlh_prediction_error,
                rtol=TOLERANCE,
                atol=TOLERANCE,
            )
            self.assertEqual(result.most_likely[i], np.argmax(rows.evidence))
            self.assertEqual(result.highest[i], np.max(rows.evidence))


class UnusableNumbersTest(unittest.TestCase):
    def test_state_before_is_kept(self) -> None:
        table, graphs, work = build([random_scene(1, hypotheses=50)])
        last = work.segments[-1].segment
        table.rows(last).poses[0, 0, 0] = np.nan
        before = [table.evidence.copy(), table.locations.copy()]
        with self.assertRaisesRegex(
            UnusableNumbers, r"learning module 'lm', graph 'object_1': hypothesis 0 .*"
        ):
            arithmetic.update(table, graphs, work)
        np.testing.assert_array_equal(before[0], table.evidence)
        np.testing.assert_array_equal(before[1], table.locations)


if __name__ == "__main__":
    unittest.main()
