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

from tbp.monty.frameworks.utils.quadratic_terms import quadratic_terms, scaled_rows


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


class ScaledRowsTest(unittest.TestCase):
    def test_it_is_the_product_with_the_weights(self) -> None:
        rng = np.random.default_rng(2)
        for count in (0, 1, 50):
            for columns in (1, 6):
                weights = rng.random((count, 1))
                rows = rng.normal(size=(count, columns))
                scaled = scaled_rows(weights, rows)
                npt.assert_array_equal(scaled, weights * rows)
                self.assertTrue(scaled.flags.c_contiguous)
                single = scaled_rows(weights, rows.astype(np.float32))
                self.assertEqual(single.dtype, np.float64)
