# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import copy
import unittest
from unittest.mock import patch

import numpy as np
import numpy.testing as npt

from tbp.monty.frameworks.models.node_features import collect_node_features
from tests.frameworks.models.evidence_matching.learned import learned_lm


class SameOrNewTest(unittest.TestCase):
    def setUp(self) -> None:
        self.memory = learned_lm().graph_memory
        self.graph_id = self.memory.get_memory_ids()[0]

    def arrays(self):
        self.memory.initialize_feature_arrays()
        return self.memory.get_feature_array(self.graph_id)["patch"]

    def test_a_replaced_graph_gets_a_new_array(self) -> None:
        before = self.arrays().copy()
        model = self.memory.get_graph(self.graph_id, "patch")
        changed = copy.deepcopy(model._graph)
        changed.x[0, model.feature_mapping["hsv"][0]] += 0.25
        model._graph = changed
        self.assertEqual((self.arrays() - before).max(), 0.25)

    def test_another_selection_of_features_gets_a_new_array(self) -> None:
        before = self.arrays()
        self.memory.features_to_use["patch"] = ["pose_vectors", "pose_fully_defined"]
        self.assertNotEqual(self.arrays().shape, before.shape)

    def test_what_somebody_wrote_into_an_array_does_not_stay(self) -> None:
        before = self.arrays().copy()
        self.arrays()[0] += 1
        npt.assert_array_equal(self.arrays(), before)


class CollectNodeFeaturesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.memory = learned_lm().graph_memory
        self.graph_id = self.memory.get_memory_ids()[0]
        self.nodes = self.memory.get_graph_node_ids(self.graph_id, "patch").astype(int)

    def test_all_at_once_are_those_of_each_node(self) -> None:
        array = np.full((len(self.nodes), 3), np.nan)
        names = collect_node_features(
            self.memory, self.graph_id, "patch", self.nodes, array
        )
        self.assertEqual(names, ["hsv"])
        for node in self.nodes:
            at_node = self.memory.get_features_at_node(self.graph_id, "patch", node)
            npt.assert_array_equal(array[node], at_node["hsv"])

    def test_an_override_may_know_only_single_nodes(self) -> None:
        def of_single_nodes(_graph_id, _channel, node_id):
            number = float(node_id)
            return {"pose_vectors": np.eye(3).ravel(), "own": [number, -number]}

        with patch.object(self.memory, "get_features_at_node", of_single_nodes):
            self.memory.initialize_feature_arrays()
        array = self.memory.get_feature_array(self.graph_id)["patch"]
        npt.assert_array_equal(array, np.stack([self.nodes, -self.nodes], axis=1))
        order = self.memory.get_feature_order(self.graph_id)["patch"]
        self.assertEqual(order, ["own"])
