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
from types import SimpleNamespace
from typing import Any

import numpy as np

from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)
from tbp.monty.frameworks.models.goal_generation import EvidenceGoalGenerator
from tbp.monty.frameworks.utils.small_vectors import as_rows, length


class LengthTest(unittest.TestCase):
    def check(self, vector: Any) -> None:
        expected, actual = np.linalg.norm(vector), length(vector)
        self.assertEqual(actual.tobytes(), expected.tobytes())
        self.assertIs(type(actual), type(expected))

    def test_bits_are_those_of_numpy(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(20_000):
            self.check(rng.normal(size=3) * 10.0 ** rng.integers(-150, 150))
        for count in range(20):
            self.check(rng.normal(size=count))

    def test_unusual_vectors_are_as_those_of_numpy(self) -> None:
        for vector in (
            np.zeros(3),
            np.array([np.nan, 1, 2]),
            np.array([np.inf, 1, np.nan]),
            np.arange(9.0).reshape(3, 3)[:, 1],
            np.arange(9.0)[::-1],
            np.arange(9.0).reshape(3, 3),
            np.arange(3),
            np.arange(3, dtype=np.float32),
            [0.3, 0.4, 0.5],
        ):
            with self.subTest(vector=vector):
                self.check(vector)


class AsRowsTest(unittest.TestCase):
    def test_rows_are_those_of_numpy(self) -> None:
        rng = np.random.default_rng(1)
        a, b, c = rng.normal(size=(3, 3))
        for vectors in (
            [a, b, c],
            [a, [0, 0, 0], [0, 0, 0]],
            [a[::-1], np.arange(3), rng.normal(size=(3, 3))[:, 0]],
        ):
            expected, actual = np.vstack(vectors), as_rows(vectors)
            self.assertEqual(actual.tobytes(), expected.tobytes())
            self.assertEqual(actual.dtype, expected.dtype)
            self.assertEqual(actual.strides, expected.strides)


class GoalsTest(unittest.TestCase):
    def test_a_sensor_has_moved_if_it_is_farther_away_than_is_tolerated(self) -> None:
        here = SimpleNamespace(location=np.zeros(3))
        there = SimpleNamespace(location=np.array([0.3, 0.0, 0.4]))
        different = EvidenceGoalGenerator()._check_messages_different
        for tolerance, expected in ((0.4, True), (0.5, False), (0.6, False)):
            found = different(there, here, {"location": tolerance})
            self.assertIsInstance(found, np.bool_)
            self.assertEqual(found, expected)

    def test_the_two_most_likely_objects_are_those_that_numpy_sorts_last(self) -> None:
        lm = EvidenceGraphLM(0.01, tolerances={"patch": {}}, feature_weights={})
        rng = np.random.default_rng(2)
        for i in range(100):
            evidences = rng.integers(0, 6, 2 + i).astype(np.float64)
            second, top = np.argsort(evidences)[-2:]
            lm.current_mlh["graph_id"] = top
            for known in (evidences, evidences.tolist()):
                lm.evidence_for_each_graph = lambda of=known: ([*range(len(of))], of)
                self.assertEqual(lm.get_top_two_mlh_ids(), (top, second))
