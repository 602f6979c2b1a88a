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

from tbp.monty.backends.device.sampling import Sorter
from tbp.monty.backends.numpy.new_hypotheses import best_nodes


class SorterTest(unittest.TestCase):
    def test_many_scores_are_sorted_as_few_are(self) -> None:
        sorter = Sorter()
        self.addCleanup(sorter.close)
        rng = np.random.default_rng(0)
        for graphs in (0, 1, 7, 101):
            # Rounded, so that there are equal ones: sorts differ in their order.
            scores = [
                rng.uniform(size=rng.integers(500, 2_000)).round(2)
                for _ in range(graphs)
            ]
            counts = [len(one) // 3 for one in scores]
            found = sorter.best(scores, counts)
            self.assertEqual(len(found), graphs)
            for one, of_graph, count in zip(found, scores, counts, strict=True):
                np.testing.assert_array_equal(one, best_nodes(of_graph, count))


if __name__ == "__main__":
    unittest.main()
