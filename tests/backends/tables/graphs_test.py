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

from tbp.monty.backends.numpy.numbers import UnusableNumbers
from tbp.monty.backends.tables.graphs import GraphTable, make_graph


def graph(count: int, columns: int = 2, radius: float = 0.1, **changed):
    random = np.random.default_rng(count)
    parts = dict(
        locations=random.normal(size=(count, 3)),
        pose_vectors=random.normal(size=(count, 9)),
        pose_fully_defined=random.integers(2, size=(count, 1)),
        features=random.normal(size=(count, columns)),
    )
    return make_graph("mug", radius=radius, **{**parts, **changed})


class MakeGraphTest(unittest.TestCase):
    def test_refuses_unusable_nodes_and_names_them(self) -> None:
        locations = np.zeros((3, 3))
        locations[2, 1] = np.inf
        with self.assertRaisesRegex(UnusableNumbers, "'mug': the location of node 2"):
            graph(3, locations=locations)
        with self.assertRaisesRegex(UnusableNumbers, "'mug': the pose vectors of node"):
            graph(3, pose_vectors=np.full((3, 9), np.nan))

    def test_refuses_a_radius_that_is_not_positive_and_finite(self) -> None:
        for radius in (0.0, -1.0, np.nan, np.inf):
            with self.assertRaisesRegex(UnusableNumbers, "max_match_distance"):
                graph(3, radius=radius)

    def test_does_not_change_with_the_arrays_it_was_made_from(self) -> None:
        locations = np.zeros((3, 3))
        made = graph(3, locations=locations)
        locations[:] = 1.0
        self.assertEqual(made.locations.max(), 0.0)

    def test_takes_single_precision(self) -> None:
        made = graph(4, locations=np.ones((4, 3), dtype=np.float32))
        self.assertEqual(made.locations.dtype, np.float64)


class GraphTableTest(unittest.TestCase):
    def test_stacks_graphs_of_any_size(self) -> None:
        graphs = {"a": graph(5), "none": graph(0), "b": graph(70, columns=3)}
        table = GraphTable(graphs)
        arrays = table.arrays
        np.testing.assert_array_equal(table.node_counts, [5, 0, 70])
        np.testing.assert_array_equal(arrays.feature_columns, [2, 2, 3])
        for key, expected in graphs.items():
            index = table.index(key)
            nodes = slice(*arrays.node_starts[index : index + 2])
            np.testing.assert_array_equal(arrays.locations[nodes], expected.locations)
            np.testing.assert_array_equal(arrays.frames[nodes], expected.pose_vectors)
            np.testing.assert_array_equal(
                arrays.direction_known[nodes], expected.pose_fully_defined
            )
            features = slice(*arrays.feature_starts[index : index + 2])
            np.testing.assert_array_equal(
                arrays.features[features], expected.features.ravel()
            )

    def test_can_be_empty(self) -> None:
        table = GraphTable({})
        self.assertEqual(len(table), 0)
        self.assertEqual(table.arrays.locations.shape, (0, 3))
        self.assertEqual(table.boxes.shape, (0, 16))

    def test_places_take_memory_only_if_they_are_asked_for(self) -> None:
        table = GraphTable({i: graph(10 + i) for i in range(3)})
        for holder in (table.graph(1), table):
            before = holder.nbytes()
            more = sum(places.nbytes for places in holder.places)
            self.assertEqual(holder.nbytes(), before + more)

    def test_places_are_those_of_their_own_graph(self) -> None:
        table = GraphTable({i: graph(10 + i) for i in range(3)})
        for found, *each in zip(
            table.places, *(table.graph(i).places for i in range(3)), strict=True
        ):
            np.testing.assert_array_equal(found, np.concatenate(each))

    def test_cells_lead_to_the_nodes_of_their_own_graph(self) -> None:
        table = GraphTable({i: graph(10 + i) for i in range(4)})
        arrays = table.arrays
        for index in range(4):
            grid = table.graph(index).grid
            first = arrays.cell_offsets[index]
            np.testing.assert_array_equal(
                arrays.cell_starts[first : first + len(grid.starts)], grid.starts
            )
            first = arrays.member_offsets[index]
            np.testing.assert_array_equal(
                arrays.members[first : first + len(grid.members)], grid.members
            )


if __name__ == "__main__":
    unittest.main()
