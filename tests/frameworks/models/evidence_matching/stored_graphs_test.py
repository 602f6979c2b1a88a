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
from typing import Any

import numpy as np

from tests.frameworks.models.evidence_matching.learned import learned_lm


class StoredGraphsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.memory: Any = learned_lm().graph_memory
        self.graphs = self.memory.stored_graphs

    def revisions(self) -> list[int]:
        return [
            self.graphs.revision,
            *(self.graphs.graph_revision(f"new_object{i}", "patch") for i in range(2)),
        ]

    def test_nothing_changes_from_episode_to_episode(self) -> None:
        before = self.revisions()
        self.memory.initialize_feature_arrays()
        self.assertEqual(self.revisions(), before)

    def test_a_graph_that_changes_has_another_number_and_others_do_not(self) -> None:
        before = self.revisions()
        model = self.memory.models_in_memory["new_object1"]["patch"]
        graph = model._graph
        graph.pos = np.array(graph.pos) + 0.01
        self.memory.initialize_feature_arrays()
        after = self.revisions()
        self.assertNotEqual(after[0], before[0])
        self.assertEqual(after[1], before[1])
        self.assertNotEqual(after[2], before[2])

    def test_a_graph_that_is_removed_changes_the_number_of_all(self) -> None:
        before = self.graphs.revision
        self.memory.remove_graph_from_memory("new_object0")
        self.memory.initialize_feature_arrays()
        self.assertNotEqual(self.graphs.revision, before)

    def test_two_memories_have_no_number_in_common(self) -> None:
        first = self.revisions()
        self.setUp()
        self.assertTrue(set(first).isdisjoint(self.revisions()))

    def test_nodes_are_as_the_memory_has_them(self) -> None:
        nodes = self.graphs.nodes("new_object0", "patch")
        self.assertEqual(self.graphs.channels("new_object0"), ["patch"])
        locations = self.memory.get_locations_in_graph("new_object0", "patch")
        np.testing.assert_array_equal(nodes.locations, locations)
        self.assertEqual(nodes.pose_vectors.shape, (len(locations), 3, 3))
        self.assertEqual(nodes.features.shape, (len(locations), 3))
