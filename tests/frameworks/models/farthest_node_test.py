# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import functools
import unittest
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from tbp.monty.frameworks.models.farthest_node import (
    MOST_CELLS,
    _Grid,
    clearly_farthest_node,
)
from tbp.monty.frameworks.models.object_model import GridObjectModel
from tbp.monty.frameworks.utils.object_model_utils import NumpyGraph
from tbp.monty.geometry import Rotation

AS_LEARNED = dict(location=np.zeros(3), rotation=Rotation.identity())


def _model(locations: npt.NDArray[np.float64]) -> GridObjectModel:
    model = GridObjectModel("object", max_nodes=10, max_size=1, num_voxels_per_dim=4)
    model.use_original_graph = True
    model.set_graph(NumpyGraph({"pos": locations}))
    return model


def _surface(rng: np.random.Generator, nodes: int) -> npt.NDArray[np.float64]:
    points = rng.normal(size=(nodes, 3))
    points /= np.linalg.norm(points, axis=1)[:, np.newaxis]
    return points * rng.uniform(0.01, 0.1, size=3)


def _hypothesis(
    rng: np.random.Generator, locations: npt.NDArray[np.float64], angle: float
) -> dict[str, Any]:
    rotation = Rotation.from_rotvec(rng.normal(size=3) * angle)
    return dict(location=rng.choice(locations), rotation=rotation)


def _distances(
    hypothesis: dict[str, Any],
    locations: npt.NDArray[np.float64],
    other_hypothesis: dict[str, Any],
    model: GridObjectModel,
) -> npt.NDArray[np.float64]:
    """Return the distance of each node from the other graph, with upstream's search."""
    back = hypothesis["rotation"].inv()
    sensed = back.apply(locations) - back.apply(hypothesis["location"])
    moved = other_hypothesis["rotation"].apply(sensed) + other_hypothesis["location"]
    return model.find_nearest_neighbors(moved, num_neighbors=1, return_distance=True)


class ClearlyFarthestNodeTest(unittest.TestCase):
    def assert_farthest(
        self,
        hypothesis: dict[str, Any],
        locations: npt.NDArray[np.float64],
        other_hypothesis: dict[str, Any],
        model: GridObjectModel,
    ) -> None:
        """Check that the farthest node is found if no other is nearly as far."""
        problem = hypothesis, locations, other_hypothesis, model
        distances = _distances(*problem)
        farthest = np.argmax(distances)
        others = np.delete(distances, farthest)
        found = clearly_farthest_node(*problem)
        least = (1 - 2e-9) * distances[farthest] - 1e-10
        if found is not None or np.max(others, initial=0) < least:
            self.assertEqual(found, farthest)

    def test_the_farthest_node_is_upstreams(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(300):
            nodes, others = (_surface(rng, int(rng.integers(1, 500))) for _ in "ab")
            angle = rng.choice([0.01, 1])
            hypotheses = [_hypothesis(rng, one, angle) for one in (nodes, others)]
            hypotheses[1]["location"] += rng.normal(size=3) * 10.0 ** rng.uniform(-4, 1)
            self.assert_farthest(hypotheses[0], nodes, hypotheses[1], _model(others))

    def test_the_farthest_node_of_another_pose_is_upstreams(self) -> None:
        rng = np.random.default_rng(1)
        for _ in range(100):
            nodes = _surface(rng, int(rng.integers(2, 1000)))
            hypotheses = [_hypothesis(rng, nodes, 10.0**-k) for k in (4, 2)]
            self.assert_farthest(hypotheses[0], nodes, hypotheses[1], _model(nodes))

    def test_rounding_decides_nothing_if_two_poses_are_equal(self) -> None:
        rng = np.random.default_rng(6)
        for nodes in range(2, 30):
            for _ in range(20):
                locations = _surface(rng, nodes)
                hypothesis = _hypothesis(rng, locations, angle=1)
                model = _model(locations)
                self.assert_farthest(hypothesis, locations, hypothesis, model)

    def test_a_search_of_the_same_name_is_not_replaced(self) -> None:
        class Wrapping(GridObjectModel):
            @functools.wraps(GridObjectModel.find_nearest_neighbors)
            def find_nearest_neighbors(self, *args: Any, **kwargs: Any) -> Any:
                return -super().find_nearest_neighbors(*args, **kwargs)

        model = _model(np.eye(3))
        model.__class__ = Wrapping
        far = np.array([[0.0, 0, 0], [9, 0, 0]])
        self.assertIsNone(clearly_farthest_node(AS_LEARNED, far, AS_LEARNED, model))

    def test_the_farthest_node_from_a_large_graph_is_upstreams(self) -> None:
        rng = np.random.default_rng(2)
        model = _model(_surface(rng, 5000))
        self.assertEqual(_Grid(model._location_tree)._last.max(), MOST_CELLS)
        self.assert_farthest(AS_LEARNED, _surface(rng, 2000), AS_LEARNED, model)

    def test_a_node_that_is_a_little_farther_is_found(self) -> None:
        rng = np.random.default_rng(3)
        nodes = _surface(rng, 500)
        nodes[7], nodes[70] = [1, 0, 0], [0, 1 + 1e-6, 0]
        others = _surface(rng, 500) / 1e8
        for shift in (0, 1, 1000):
            away = dict(location=np.full(3, float(shift)), rotation=Rotation.identity())
            model = _model(others + shift)
            self.assertEqual(clearly_farthest_node(AS_LEARNED, nodes, away, model), 70)

    def test_no_answer_where_rounding_may_decide(self) -> None:
        rng = np.random.default_rng(4)
        nodes = _surface(rng, 200)
        model = _model(_surface(rng, 200))
        twice = np.tile(nodes, (2, 1))
        self.assertIsNone(clearly_farthest_node(AS_LEARNED, twice, AS_LEARNED, model))
        same = _model(nodes)
        self.assertIsNone(clearly_farthest_node(AS_LEARNED, nodes, AS_LEARNED, same))
        far = np.array([[1, 0, 0], [0, 1 + 1e-13, 0]])
        only = _model(np.zeros((1, 3)))
        self.assertIsNone(clearly_farthest_node(AS_LEARNED, far, AS_LEARNED, only))

    def test_no_answer_where_large_coordinates_cancel(self) -> None:
        nodes = np.array([[1e-3, 0, 0], [0, 1e-3 + 1e-11, 0]])
        others = np.array([[0, 0, 0], [-1e-3, 0, 0]])
        model = _model(others)
        self.assertEqual(clearly_farthest_node(AS_LEARNED, nodes, AS_LEARNED, model), 1)
        away = dict(location=np.full(3, 100.0), rotation=Rotation.identity())
        model = _model(others + 100)
        self.assertIsNone(clearly_farthest_node(AS_LEARNED, nodes, away, model))

    def test_degenerate_graphs(self) -> None:
        locations = np.random.default_rng(5).normal(size=(100, 3))
        for nodes in (np.zeros((1, 3)), np.ones((50, 3)), np.eye(3) * [1, 0, 0]):
            for factor in (1, 1e100):
                self.assert_farthest(
                    AS_LEARNED, locations * factor, AS_LEARNED, _model(nodes)
                )

    def test_no_answer_if_the_model_has_its_own_search(self) -> None:
        class Own(GridObjectModel):
            def find_nearest_neighbors(self, *_, **__):
                raise AssertionError

        nodes = np.eye(3) * [1, 2, 3]
        model = _model(np.zeros((1, 3)))
        self.assertEqual(clearly_farthest_node(AS_LEARNED, nodes, AS_LEARNED, model), 2)
        for patched in (model, GridObjectModel):
            with patch.object(patched, "find_nearest_neighbors"):
                self.assertIsNone(
                    clearly_farthest_node(AS_LEARNED, nodes, AS_LEARNED, model)
                )
        model.__class__ = Own
        self.assertIsNone(clearly_farthest_node(AS_LEARNED, nodes, AS_LEARNED, model))

    def test_no_answer_if_there_are_several_rotations(self) -> None:
        several = dict(AS_LEARNED, rotation=Rotation.from_rotvec(np.zeros((1, 3))))
        model = _model(np.zeros((1, 3)))
        nodes = np.eye(3) * [1, 2, 3]
        for hypotheses in ((several, AS_LEARNED), (AS_LEARNED, several)):
            found = clearly_farthest_node(hypotheses[0], nodes, hypotheses[1], model)
            self.assertIsNone(found)

    def test_no_answer_if_something_is_not_finite(self) -> None:
        model = _model(np.eye(3))
        nodes = np.zeros((60, 3))
        lost = dict(AS_LEARNED, location=np.full(3, np.nan))
        self.assertIsNone(clearly_farthest_node(lost, nodes, AS_LEARNED, model))
        self.assertIsNone(clearly_farthest_node(AS_LEARNED, nodes, lost, model))
        for value in (np.nan, np.inf, 1e200):
            nodes[40] = value
            self.assertIsNone(
                clearly_farthest_node(AS_LEARNED, nodes, AS_LEARNED, model)
            )
