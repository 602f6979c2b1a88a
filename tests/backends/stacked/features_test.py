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

import numpy as np

from tbp.monty.backends.described_work import Percept
from tbp.monty.backends.numpy.features import (
    FeatureColumnMismatch,
    make_feature_query,
)
from tbp.monty.backends.stacked.features import (
    FeatureColumns,
    feature_columns,
    joined,
)
from tbp.monty.backends.stacked.plans import QueryKey

FEATURES = ("hsv", "curvature", "object_id")
KEY = QueryKey("patch", FEATURES, 6)


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
    def check(self, queries: Any, percepts: list[Percept]) -> FeatureColumns:
        """Compare columns with those of queries that are made one by one."""
        found = feature_columns(queries, percepts)
        ends = found.counts.cumsum()
        for i, (settings, key) in enumerate(queries):
            columns = slice(ends[i] - found.counts[i], ends[i])
            if not settings["use_features_for_matching"]["patch"]:
                self.assertEqual((found.counts[i], found.increments[i]), (0, 0.0))
                continue
            expected = make_feature_query(
                *key[1:],
                percepts[i].features,
                settings["tolerances"]["patch"],
                settings["feature_weights"]["patch"],
                settings["feature_evidence_increment"],
            )
            for name in ("tolerances", "weights", "kinds"):
                one, other = getattr(found, name)[columns], getattr(expected, name)
                self.assertEqual(one.dtype, other.dtype)
                np.testing.assert_array_equal(one, other, name)
            self.assertEqual(found.increments[i], expected.increment)
        return found

    def test_they_are_those_of_the_queries(self) -> None:
        for count in (0, 1, 2, 3, 6, 20):
            self.check(*asked(count, count))

    def test_queries_may_be_for_other_features(self) -> None:
        queries, percepts = asked(4)
        queries[2] = (queries[2][0], QueryKey("patch", FEATURES[:-1], 5))
        queries[1][0]["use_features_for_matching"]["patch"] = False
        # Weights of features that are not used may be anything.
        queries[1][0]["feature_weights"]["patch"] = dict.fromkeys(FEATURES, 0.0)
        self.assertEqual(self.check(queries, percepts).counts.tolist(), [6, 0, 5, 6])

    def test_weights_may_be_of_another_form(self) -> None:
        queries, percepts = asked(4)
        queries[3][0]["feature_weights"]["patch"]["hsv"] = 0.5
        queries[2][0]["feature_weights"]["patch"]["hsv"] = "0.5"
        self.check(queries, percepts)

    def test_what_does_not_fit_is_said(self) -> None:
        for wrong in ("width", "weights", "no columns"):
            queries, percepts = asked(3)
            if wrong == "width":
                percepts[2].features["object_id"] = np.ones(2)  # type: ignore[index]
            elif wrong == "no columns":
                queries[2] = (queries[2][0], QueryKey("patch", (), 0))
            else:
                for name in ("hsv", "curvature", "object_id"):
                    queries[2][0]["feature_weights"]["patch"][name] = 0.0
            with self.subTest(wrong), self.assertRaises(FeatureColumnMismatch):
                feature_columns(queries, percepts)


class JoinedTest(unittest.TestCase):
    def test_numbers_of_any_kind_are_joined_in_their_order(self) -> None:
        floats, table = np.array([0.5, 1.5]), np.arange(6.0).reshape(2, 3)
        cases: dict[str, tuple[Any, list[float]]] = {
            "floats": (floats, [0.5, 1.5]),
            "a table": (table, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
            "a column": (table[:, 1], [1.0, 4.0]),
            "turned": (table.T, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]),
            "backwards": (floats[::-1], [1.5, 0.5]),
            "integers": (np.array([2, 3]), [2.0, 3.0]),
            "single precision": (np.array([0.25, 4.0], np.float32), [0.25, 4.0]),
            "other byte order": (floats.astype(">f8"), [0.5, 1.5]),
            "a scalar": (np.float64(7.0), [7.0]),
            "a number": (8, [8.0]),
            "a list": ([9, 1.0], [9.0, 1.0]),
            "none": (np.zeros(0), []),
        }
        for about, (part, numbers) in cases.items():
            with self.subTest(about):
                found = joined([floats, part, floats])
                self.assertEqual(found.dtype, np.float64)
                self.assertEqual(found.tolist(), [0.5, 1.5, *numbers, 0.5, 1.5])
                self.assertTrue(found.flags.writeable)

    def test_no_parts_have_no_numbers(self) -> None:
        self.assertEqual(joined([]).tolist(), [])

    def test_what_is_joined_is_a_copy(self) -> None:
        part = np.ones(2)
        found = joined([part])
        part[:] = 5.0
        self.assertEqual(found.tolist(), [1.0, 1.0])


if __name__ == "__main__":
    unittest.main()
