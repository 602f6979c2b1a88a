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

from tbp.monty.backends.tables.cells import make_cell_grid
from tbp.monty.backends.tables.places import SIMD_WIDTH, make_places


class PlacesTest(unittest.TestCase):
    def test_places_are_members_relative_to_the_centre_of_the_cell(self) -> None:
        nodes = np.random.default_rng(3).normal(size=(200, 3)) * 0.02
        grid = make_cell_grid(nodes, 0.01)
        found_in = make_places(nodes, grid)
        shape = tuple(grid.shape)
        for cell in range(np.prod(shape)):
            members = grid.members[grid.starts[cell] : grid.starts[cell + 1]]
            padded = int(found_in.place_starts[cell + 1]) - int(
                found_in.place_starts[cell]
            )
            self.assertEqual(padded % SIMD_WIDTH, 0)
            self.assertLess(padded - len(members), SIMD_WIDTH)
            first = 3 * int(found_in.place_starts[cell])
            found = found_in.places[first : first + 3 * padded].reshape(3, padded).T
            along = np.array(np.unravel_index(cell, shape))
            middle = grid.origin + (along + 0.5) / grid.cells_per_unit
            np.testing.assert_allclose(
                found[: len(members)], nodes[members] - middle, atol=1e-8
            )
            self.assertTrue(np.isinf(found[len(members) :]).all())

    def test_the_farthest_coordinate_may_be_along_any_axis(self) -> None:
        nodes = np.random.default_rng(3).normal(size=(20, 3)) * 0.02
        for axis in range(3):
            turned = np.roll(nodes, axis, axis=1)
            found = make_places(turned, make_cell_grid(turned, 0.01))
            coordinates = found.places[np.isfinite(found.places)]
            np.testing.assert_allclose(
                found.farthest, np.abs(coordinates).max(), rtol=1e-6
            )


if __name__ == "__main__":
    unittest.main()
