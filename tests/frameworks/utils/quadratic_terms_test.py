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
import numpy.testing as npt

from tbp.monty.frameworks.utils.quadratic_terms import chosen_weights, quadratic_terms


class QuadraticTermsTest(unittest.TestCase):
    def test_terms_are_the_columns(self) -> None:
        u, v = np.random.default_rng(0).normal(size=(2, 30))
        columns = [u * u, v * v, u * v, u, v, np.ones(30)]
        for count, with_constant in ((5, False), (6, True)):
            terms = quadratic_terms(u, v, with_constant)
            npt.assert_array_equal(terms, np.stack(columns[:count], axis=1))
            self.assertTrue(terms.flags.c_contiguous)
            self.assertEqual(terms.dtype, np.float64)

    def test_products_round_as_the_coordinates_do(self) -> None:
        u, v = np.random.default_rng(1).normal(size=(2, 30)).astype(np.float32)
        npt.assert_array_equal(quadratic_terms(u, v, True)[:, 2], u * v)


class ChosenWeightsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.weights = np.random.default_rng(2).random((50, 1))
        self.calls: list[tuple[int, float]] = []

    def weigh(self, count: int, share: float) -> np.ndarray:
        self.calls.append((count, share))
        return self.weights[:count]

    def test_products_are_those_with_a_column_of_weights(self) -> None:
        rng = np.random.default_rng(3)
        for share in (0.0, 0.3, 1.0):
            chosen = rng.random(50) < share
            rows = rng.normal(size=(np.count_nonzero(chosen), 6))
            weights = chosen_weights(chosen, rows, self.weigh, 50, 0.5)
            npt.assert_array_equal(weights * rows, self.weights[chosen] * rows)
            npt.assert_array_equal(weights[:, :1], self.weights[chosen])
            self.assertTrue(weights.flags.c_contiguous)

    def test_weights_are_computed_once_and_cannot_be_changed(self) -> None:
        weigh, every, terms = self.weigh, np.ones(50, dtype=bool), np.ones((50, 6))
        weights = chosen_weights(every, terms, weigh, 50, 0.5)
        self.assertIs(weights, chosen_weights(every, terms, weigh, 50, 0.5))
        self.assertEqual(self.calls, [(50, 0.5)])
        with self.assertRaises(ValueError):
            weights[0] = 1
        few = chosen_weights(every[:9], terms[:9, :5], weigh, 9, 0.5)
        self.assertEqual(few.shape, (9, 5))
