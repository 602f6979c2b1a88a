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
from hypothesis import given, settings
from hypothesis import strategies as st

from tbp.monty.backends.tables.cells import (
    CELLS_PER_NODE,
    cell_of,
    make_cell_grid,
)


def places(seed: int, count: int, extent: float, strays: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    locations = random.normal(size=(count, 3)) * extent
    locations[: min(strays, count)] *= 1e6
    return locations


class CellGridTest(unittest.TestCase):
    @settings(max_examples=150, deadline=None)
    @given(
        seed=st.integers(0, 2**32 - 1),
        count=st.sampled_from([0, 1, 2, 30, 300]),
        extent=st.sampled_from([1e-6, 0.01, 1.0, 1e4]),
        strays=st.integers(0, 3),
        radius=st.sampled_from([1e-3, 0.01, 0.3]),
    )
    def test_all_neighbours_of_a_location_are_in_the_list_of_its_cell(
        self, seed: int, count: int, extent: float, strays: int, radius: float
    ) -> None:
        nodes = places(seed, count, extent, strays)
        grid = make_cell_grid(nodes, radius)
        random = np.random.default_rng(seed)
        points = places(seed + 1, 50, extent, strays)
        if count:
            # At the very edge of the radius, where rounding could lose a neighbour.
            away = np.zeros((50, 3))
            away[np.arange(50), random.integers(3, size=50)] = radius
            points = nodes[random.integers(count, size=50)] + away
        cells = cell_of(points, grid.origin, grid.cells_per_unit, grid.shape)
        flat = np.ravel_multi_index(tuple(cells.T), tuple(grid.shape))
        distances = np.linalg.norm(points[:, np.newaxis] - nodes, axis=2)
        for i, cell in enumerate(flat):
            members = grid.members[grid.starts[cell] : grid.starts[cell + 1]]
            near = np.flatnonzero(distances[i] <= radius)
            self.assertLessEqual(set(near), set(members.tolist()))

    def test_memory_is_proportional_to_the_number_of_nodes(self) -> None:
        for extent in (1e-6, 1.0, 1e9):
            for strays in (0, 1, 500):
                nodes = places(0, 1000, extent, strays)
                grid = make_cell_grid(nodes, 0.001)
                self.assertLessEqual(len(grid.starts), CELLS_PER_NODE * 1000 + 28)
                self.assertLessEqual(len(grid.members), 27 * 1000)

    def test_stray_nodes_do_not_make_cells_coarse(self) -> None:
        without = make_cell_grid(places(0, 1000, 0.02, 0), 0.01)
        with_strays = make_cell_grid(places(0, 1000, 0.02, 3), 0.01)
        self.assertEqual(without.cells_per_unit, with_strays.cells_per_unit)

    def test_a_cell_lists_each_node_once_and_in_order(self) -> None:
        grid = make_cell_grid(places(0, 200, 0.05, 2), 0.01)
        for cell in range(len(grid.starts) - 1):
            members = grid.members[grid.starts[cell] : grid.starts[cell + 1]]
            self.assertTrue((np.diff(members.astype(int)) > 0).all())


if __name__ == "__main__":
    unittest.main()
