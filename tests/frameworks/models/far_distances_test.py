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
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from tbp.monty.frameworks.models.far_distances import (
    MOST_CELLS,
    _NearbyNodes,
    far_distances,
)
from tbp.monty.frameworks.models.object_model import GridObjectModel
from tbp.monty.frameworks.utils.object_model_utils import NumpyGraph
from tbp.monty.geometry import Rotation


def _model(locations: npt.NDArray[np.float64]) -> GridObjectModel:
    model = GridObjectModel("object", max_nodes=10, max_size=1, num_voxels_per_dim=4)
    model.use_original_graph = True
    model.set_graph(NumpyGraph({"pos": locations}))
    return model


def _surface(rng: np.random.Generator, nodes: int) -> npt.NDArray[np.float64]:
    points = rng.normal(size=(nodes, 3))
    points /= np.linalg.norm(points, axis=1)[:, np.newaxis]
    return points * rng.uniform(0.01, 0.1, size=3)


class FarDistancesTest(unittest.TestCase):
    def assert_farthest_as_upstream(
        self, model: GridObjectModel, locations: npt.NDArray[np.float64]
    ) -> None:
        expected = model.find_nearest_neighbors(
            locations, num_neighbors=1, return_distance=True
        )
        distances = far_distances(model, locations)
        farthest = np.argmax(expected)
        self.assertEqual(np.argmax(distances), farthest)
        self.assertEqual(distances[farthest], expected[farthest])
        self.assertTrue((distances <= expected).all())

    def test_the_farthest_location_is_upstreams(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(300):
            model = _model(_surface(rng, int(rng.integers(1, 500))))
            turned = Rotation.from_rotvec(rng.normal(size=3) * rng.choice([0.01, 1]))
            moved = turned.apply(_surface(rng, int(rng.integers(1, 500))))
            self.assert_farthest_as_upstream(
                model, moved + rng.normal(size=3) * 10.0 ** rng.uniform(-4, 1)
            )

    def test_the_farthest_location_from_a_large_graph_is_upstreams(self) -> None:
        rng = np.random.default_rng(2)
        model = _model(_surface(rng, 5000))
        nearby = _NearbyNodes(model._location_tree)
        self.assertEqual(nearby._last.max(), MOST_CELLS)
        self.assert_farthest_as_upstream(model, _surface(rng, 2000))

    def test_of_equally_far_locations_the_first_is_upstreams(self) -> None:
        nodes = np.stack(np.meshgrid(*[np.arange(5.0)] * 3), axis=-1).reshape(-1, 3)
        model = _model(nodes)
        for shift in (0.0, 0.25, 0.5, 100.0):
            self.assert_farthest_as_upstream(model, np.tile(nodes + shift, (3, 1)))

    def test_degenerate_graphs(self) -> None:
        locations = np.random.default_rng(1).normal(size=(100, 3))
        for nodes in (np.zeros((1, 3)), np.ones((50, 3)), np.eye(3) * [1, 0, 0]):
            self.assert_farthest_as_upstream(_model(nodes), locations)
            self.assert_farthest_as_upstream(_model(nodes), np.tile(nodes, (40, 1)))
            self.assert_farthest_as_upstream(_model(nodes), locations * 1e200)

    def test_an_override_of_the_search_is_called(self) -> None:
        class Own(GridObjectModel):
            def find_nearest_neighbors(
                self, search_locations, num_neighbors, return_distance=False
            ):
                assert num_neighbors == 1 and return_distance
                return np.arange(len(search_locations))

        model = _model(np.zeros((1, 3)))
        model.__class__ = Own
        self.assertEqual(np.argmax(far_distances(model, np.zeros((50, 3)))), 49)

    def test_a_search_put_in_the_place_of_upstreams_is_called(self) -> None:
        model = _model(np.zeros((1, 3)))
        for patched in (model, GridObjectModel):
            with patch.object(patched, "find_nearest_neighbors") as search:
                search.return_value = np.arange(50)
                distances = far_distances(model, np.zeros((50, 3)))
            self.assertEqual(np.argmax(distances), 49)

    def test_what_is_not_finite_is_refused_as_by_upstream(self) -> None:
        model = _model(np.eye(3))
        locations = np.zeros((60, 3))
        locations[40] = np.nan
        with self.assertRaisesRegex(ValueError, "finite"):
            far_distances(model, locations)
