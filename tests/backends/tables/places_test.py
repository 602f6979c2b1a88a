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
from tbp.monty.backends.tables.places import make_places


class PlacesTest(unittest.TestCase):
    def test_places_are_the_locations_of_members_to_the_last_bit(self) -> None:
        nodes = np.random.default_rng(3).normal(size=(200, 3)) * 0.02
        grid = make_cell_grid(nodes, 0.01)
        places = make_places(nodes, grid)
        np.testing.assert_array_equal(np.stack(places, axis=1), nodes[grid.members])


if __name__ == "__main__":
    unittest.main()
