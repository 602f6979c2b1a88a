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

from tbp.monty.backends.numba import votes as compiled
from tbp.monty.backends.tables import vote_search


def scene(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, int, float]:
    """Return locations, votes, how many to find and how far they may be."""
    extent = 10.0 ** rng.uniform(-2, 2) * (rng.random(3) + 0.01)
    if rng.random() < 0.2:
        extent[rng.integers(3)] = 0.0  # in a plane
    location_count, vote_count = (
        rng.choice([1, 3, 40, 300]),
        rng.choice([1, 5, 50, 400]),
    )
    votes = rng.random((vote_count, 3)) * extent
    locations = (rng.random((location_count, 3)) * 1.4 - 0.2) * extent
    reach = rng.choice([np.inf, 0.1, 0.3, 3.0]) * extent.max()
    return locations, votes, int(rng.integers(1, 5)), reach


class NearestVotesTest(unittest.TestCase):
    def test_the_tree_finds_the_same(self) -> None:
        rng = np.random.default_rng(1)
        total = 0
        for _ in range(400):
            asked = scene(rng)
            distances, found = compiled.nearest_votes(*asked)
            expected, expected_found = vote_search.nearest_votes(*asked)
            np.testing.assert_array_equal(found, expected_found)
            np.testing.assert_allclose(distances, expected, rtol=1e-12)
            total += int(np.isfinite(expected).sum())
        self.assertGreater(total, 10_000)

    def test_equal_distances_come_in_any_order(self) -> None:
        votes = np.tile([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], (30, 1))
        distances, found = compiled.nearest_votes(np.zeros((2, 3)), votes, 4, 0.5)
        np.testing.assert_array_equal(distances, 0.0)
        self.assertTrue((found % 2 == 0).all())

    def test_numbers_that_are_not_finite_are_refused_as_by_the_tree(self) -> None:
        usable, unusable = np.zeros((2, 3)), np.array([[np.nan, 0, 0], [0, np.inf, 0]])
        for asked in ((usable, unusable), (unusable, usable)):
            for search in (compiled.nearest_votes, vote_search.nearest_votes):
                with self.assertRaises(ValueError):
                    search(*asked, 1, 1.0)

    def test_a_grid_has_few_cells_wherever_the_votes_are(self) -> None:
        rng = np.random.default_rng(2)
        for extent in ((1, 1, 0), (1, 1, 1e-9), (1e7, 0, 0), (1e30, 1, 1), (0, 0, 0)):
            votes = rng.random((200, 3)) * extent
            for reach in (1e-5, 0.1, 1e9):
                grid = compiled._make_grid(votes, reach)
                self.assertLessEqual(grid.shape.prod(), 8 * len(votes))
                asked = votes[:50] + 0.3 * reach, votes, 3, reach
                found = compiled.nearest_votes(*asked)
                expected = vote_search.nearest_votes(*asked)
                np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)

    def test_any_kind_of_array(self) -> None:
        rng = np.random.default_rng(3)
        locations, votes = rng.random((30, 6)).astype(np.float32), rng.random((40, 3))
        before = len(compiled._search.signatures)
        for kind in (locations[:, ::2], locations[:, :3].tolist()):
            found = compiled.nearest_votes(kind, votes, 2, 0.5)
            expected = vote_search.nearest_votes(np.asarray(kind), votes, 2, 0.5)
            np.testing.assert_array_equal(found[1], expected[1])
        self.assertLessEqual(len(compiled._search.signatures), max(before, 1))

    def test_nothing_to_search(self) -> None:
        for locations, votes in ((0, 5), (5, 0)):
            distances, found = compiled.nearest_votes(
                np.zeros((locations, 3)), np.zeros((votes, 3)), 2, 1.0
            )
            self.assertEqual(distances.shape, (locations, 2))
            self.assertTrue((found == votes).all())
