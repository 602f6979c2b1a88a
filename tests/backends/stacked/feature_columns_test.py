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
from typing import Any
from unittest.mock import patch

import numpy as np

from tbp.monty.backends.described_work import Percept
from tbp.monty.backends.numpy.features import FeatureColumnMismatch
from tbp.monty.backends.stacked import feature_columns as module
from tbp.monty.backends.stacked.feature_columns import FeatureColumns, feature_columns
from tbp.monty.backends.stacked.plans import QueryKey

ORDER = ("pose_vectors", "pose_fully_defined", "hsv", "curvature", "object_id")
KEY = QueryKey("patch", ORDER, 6)
ARRAYS = ("counts", "values", "tolerances", "weights", "kinds", "increments")


def asked(count: int, seed: int = 0) -> tuple[list[Any], list[Percept]]:
    """Return queries for features of three columns, of two, and of one."""
    rng = np.random.default_rng(seed)
    queries, percepts = [], []
    for _ in range(count):
        settings = dict(
            use_features_for_matching={"patch": True},
            tolerances={"patch": dict(hsv=rng.random(3), curvature=0.5, object_id=1)},
            feature_weights={
                "patch": dict(
                    hsv=rng.random(3).tolist(), curvature=rng.random(2), object_id=1.0
                )
            },
            feature_evidence_increment=rng.random(),
        )
        queries.append((settings, KEY))
        features: dict[str, Any] = dict(
            hsv=rng.random(3), curvature=rng.random(2), object_id=int(rng.integers(9))
        )
        percepts.append(Percept(np.eye(3), True, 0.0, features))
    return queries, percepts


class FeatureColumnsTest(unittest.TestCase):
    def one_by_one(self, queries: Any, percepts: list[Percept]) -> FeatureColumns:
        with patch.object(module, "_columns_at_once", return_value=None):
            return feature_columns(queries, percepts)

    def check(self, queries: Any, percepts: list[Percept], *, at_once: bool) -> None:
        found = feature_columns(queries, percepts)
        expected = self.one_by_one(queries, percepts)
        for name in ARRAYS:
            one, other = getattr(found, name), getattr(expected, name)
            with self.subTest(name):
                self.assertEqual(
                    (one.dtype, one.tobytes()), (other.dtype, other.tobytes())
                )
        is_at_once = module._columns_at_once(queries, percepts) is not None
        self.assertEqual(is_at_once, at_once)

    def test_queries_for_the_same_features_are_laid_out_at_once(self) -> None:
        for count in (1, 2, 3, 6, 20):
            self.check(*asked(count, count), at_once=True)

    def test_queries_for_other_features_are_made_one_by_one(self) -> None:
        self.check([], [], at_once=False)
        queries, percepts = asked(4)
        queries[2] = (queries[2][0], QueryKey("patch", ORDER[:-1], 5))
        self.check(queries, percepts, at_once=False)
        queries, percepts = asked(4)
        queries[1][0]["use_features_for_matching"]["patch"] = False
        self.check(queries, percepts, at_once=False)

    def test_weights_may_be_of_another_form(self) -> None:
        queries, percepts = asked(4)
        queries[3][0]["feature_weights"]["patch"]["hsv"] = 0.5
        self.check(queries, percepts, at_once=True)
        queries[2][0]["feature_weights"]["patch"]["hsv"] = "0.5"
        self.check(queries, percepts, at_once=True)

    def test_arrays_of_the_step_before_are_used_again(self) -> None:
        queries, percepts = asked(3)
        mixed = [*queries[:2], (queries[2][0], QueryKey("patch", ORDER[:-1], 5))]
        for some in (queries, mixed):
            before = feature_columns(some, percepts)
            percepts[1].features["hsv"][0] += 1  # type: ignore[index]
            found = feature_columns(some, percepts, before)
            self.assertNotEqual(found.values.tolist(), before.values.tolist())
            for name in ARRAYS:
                is_same = getattr(found, name) is getattr(before, name)
                self.assertEqual(is_same, name != "values", name)

    def test_settings_that_change_in_place_are_noticed(self) -> None:
        queries, percepts = asked(3)
        settings = queries[1][0]
        for change in (
            lambda: settings["tolerances"]["patch"]["hsv"].__setitem__(1, 9.0),
            lambda: settings["feature_weights"]["patch"].update(object_id=3.0),
            lambda: settings.update(feature_evidence_increment=7.0),
        ):
            before = feature_columns(queries, percepts)
            change()
            found = feature_columns(queries, percepts, before)
            expected = feature_columns(queries, percepts)
            for name in ARRAYS:
                np.testing.assert_array_equal(
                    getattr(found, name), getattr(expected, name)
                )
            self.assertIsNot(found.weights, before.weights)

    def test_what_does_not_fit_is_said(self) -> None:
        for wrong in ("width", "weights"):
            queries, percepts = asked(3)
            if wrong == "width":
                percepts[2].features["object_id"] = np.ones(2)  # type: ignore[index]
            else:
                for name in ("hsv", "curvature", "object_id"):
                    queries[2][0]["feature_weights"]["patch"][name] = 0.0
            with self.subTest(wrong), self.assertRaises(FeatureColumnMismatch):
                feature_columns(queries, percepts)


if __name__ == "__main__":
    unittest.main()
