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

from tbp.monty.frameworks.environment_utils.empty_bins import empty_bins


class EmptyBinsTest(unittest.TestCase):
    def check(self, values: np.ndarray, bins: int) -> int:
        """Compare with numpy's histogram, and return how many bins are empty."""
        empty, edges = empty_bins(values, bins)
        counts, expected = np.histogram(values, bins)
        self.assertEqual(empty, np.flatnonzero(counts == 0).tolist())
        npt.assert_array_equal(edges, expected, strict=True)
        return len(empty)

    def test_bins_are_empty_where_numpy_counts_nothing(self) -> None:
        rng = np.random.default_rng(0)
        found = set()
        for _ in range(300):
            values = rng.choice([0.01, 0.3, 1]) * rng.random(rng.integers(2, 500))
            values[rng.random(len(values)) < 0.5] += rng.choice([0, 1])
            values[0] = 2
            dtype = rng.choice([np.float32, np.float64])
            found.add(self.check(values.astype(dtype), 8))
        self.assertGreater(len(found), 3)

    def test_values_that_are_not_finite_are_refused_as_by_numpy(self) -> None:
        for value in (np.inf, -np.inf, np.nan):
            values = np.array([0.0, value, 1.0])
            with self.assertRaisesRegex(ValueError, "not finite"):
                empty_bins(values, 8)

    def test_values_on_edges_are_where_numpy_counts_them(self) -> None:
        for dtype in (np.float32, np.float64):
            for bins in (1, 3, 8):
                edges = np.linspace(0.1, 0.7, bins + 1, dtype=dtype)
                for kept in range(1, bins):
                    values = edges[[0, kept, -1]]
                    self.check(values, bins)
                    for toward in (0, 1):
                        values[1] = np.nextafter(edges[kept], dtype(toward))
                        self.check(values, bins)
