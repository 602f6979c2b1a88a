# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import itertools
import unittest
from unittest.mock import Mock

import numpy as np

from tbp.monty.backends.device.settled import weight_sums
from tbp.monty.backends.numpy.rounding import sum_as_numpy_does


class WeightSumsTest(unittest.TestCase):
    def test_are_added_in_the_order_of_kernels(self) -> None:
        rng = np.random.default_rng(0)
        for queries in (1, 2, 9, 64):
            for columns in range(1, 40):
                self.check(rng, np.full(queries, columns))
            self.check(rng, rng.integers(0, 12, size=queries))
            self.check(rng, np.zeros(queries, dtype=np.int64))

    def check(self, rng, counts) -> None:
        starts = np.concatenate([[0], np.cumsum(counts)])
        weights = rng.uniform(size=starts[-1])
        work = Mock(
            column_starts=starts, weights=weights, increments=np.zeros(len(counts))
        )
        each = [weights[a:b] for a, b in itertools.pairwise(starts)]
        wanted = [sum_as_numpy_does([*one]) if len(one) else 0.0 for one in each]
        np.testing.assert_array_equal(weight_sums(work), wanted)


if __name__ == "__main__":
    unittest.main()
