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

from tbp.monty.backends.numpy.features import (
    CATEGORICAL,
    CIRCULAR,
    NUMERIC,
    FeatureColumnMismatch,
    feature_evidence,
    make_feature_query,
)
from tbp.monty.frameworks.models.evidence_matching.feature_evidence.calculator import (
    DefaultFeatureEvidenceCalculator,
)
from tests.backends.numpy.scenes import random_scene

ORDER = ["hsv", "object_id", "texture"]
SENSED = dict(hsv=[0.1, 0.2, 0.3], object_id=7, texture=[0.4, 0.5])
NUMBERS = dict(hsv=[1.0, 2.0, 3.0], object_id=4.0, texture=5.0)


class FeatureEvidenceTest(unittest.TestCase):
    def test_equals_upstreams_to_the_last_bit(self) -> None:
        for features in (
            ("hsv",),
            ("hsv", "principal_curvatures_log"),
            ("object_id", "texture", "hsv"),
            ("texture", "hsv", "principal_curvatures_log", "object_id"),
            ("spectrum", "object_id"),
        ):
            for seed in range(10):
                scene = random_scene(seed, nodes=400, features=features)
                (_, channel), nodes = next(iter(scene.nodes.items()))
                query = scene.feature_query(channel)
                # The calculator does not apply the increment.
                found = feature_evidence(nodes.features, query) / query.increment
                expected = DefaultFeatureEvidenceCalculator.calculate(
                    channel_feature_array=nodes.features,
                    channel_feature_order=scene.order[channel],
                    channel_feature_weights=scene.weights[channel],
                    channel_query_features=scene.sensed[channel],
                    channel_tolerances=scene.tolerances[channel],
                )
                np.testing.assert_array_equal(found, expected)

    def test_hue_is_circular(self) -> None:
        query = self.query(dict(hsv=[0.95, 0.5, 0.5]), ["hsv"], 3)
        nodes = np.array([[0.05, 0.5, 0.5], [0.45, 0.5, 0.5]])
        near, far = feature_evidence(nodes, query)
        self.assertGreater(near, far)

    def test_a_missing_value_makes_the_evidence_nan(self) -> None:
        query = self.query(dict(hsv=[0.1, 0.5, 0.5]), ["hsv"], 3)
        nodes = np.array([[np.nan, 0.5, 0.5], [0.1, 0.5, np.nan], [0.1, 0.5, 0.5]])
        is_nan = np.isnan(feature_evidence(nodes, query))
        self.assertEqual(is_nan.tolist(), [True, True, False])

    def query(self, sensed, order, columns):
        return make_feature_query(
            order,
            columns,
            sensed,
            tolerances=dict.fromkeys(order, 0.3),
            weights=dict.fromkeys(order, 1.0),
        )


class MakeFeatureQueryTest(unittest.TestCase):
    def make(self, columns=6, **changed):
        arguments = dict(
            order=ORDER,
            sensed=SENSED,
            tolerances=NUMBERS,
            weights=NUMBERS,
        )
        return make_feature_query(columns=columns, **{**arguments, **changed})

    def test_lays_features_out_in_stored_order(self) -> None:
        query = self.make()
        self.assertEqual(query.values.tolist(), [0.1, 0.2, 0.3, 7.0, 0.4, 0.5])
        self.assertEqual(query.tolerances.tolist(), [1.0, 2.0, 3.0, 4.0, 5.0, 5.0])
        self.assertEqual(
            query.kinds.tolist(),
            [CIRCULAR, *[NUMERIC] * 2, CATEGORICAL, *[NUMERIC] * 2],
        )

    def test_skips_the_pose(self) -> None:
        query = self.make(order=["pose_vectors", *ORDER, "pose_fully_defined"])
        self.assertEqual(len(query.values), 6)

    def test_refuses_a_wrong_number_of_columns(self) -> None:
        for columns in (4, 5, 7):
            with self.assertRaises(FeatureColumnMismatch):
                self.make(columns=columns)

    def test_refuses_weights_that_are_all_zero(self) -> None:
        with self.assertRaisesRegex(FeatureColumnMismatch, "add up to zero"):
            self.make(weights=dict.fromkeys(ORDER, 0.0))


if __name__ == "__main__":
    unittest.main()
