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
from dataclasses import dataclass, field

import numpy as np

from tbp.monty.backends.described_work import Nodes
from tbp.monty.backends.stacked.graph_cache import GraphCache, GraphKey

RADIUS = 0.01


def nodes(seed: int) -> Nodes:
    rng = np.random.default_rng(seed)
    frames = np.tile(np.eye(3), (20, 1, 1))
    features = rng.normal(size=(20, 2))
    return Nodes(
        rng.normal(size=(20, 3)), frames, np.ones(20, bool), features, ["a", "b"]
    )


@dataclass
class Memory:
    """The part of a learning module's state that stores graphs."""

    stored: dict[str, Nodes] = field(default_factory=dict)

    def version(self, graph_id: str, _channel: str) -> list[object]:
        return [self.stored[graph_id]]

    def nodes(self, graph_id: str, _channel: str) -> Nodes:
        return self.stored[graph_id]


class GraphCacheTest(unittest.TestCase):
    def setUp(self) -> None:
        self.cache = GraphCache()
        self.memory = Memory()

    def refresh(self, lm: str, seed: int, radius: float = RADIUS) -> GraphKey:
        self.memory.stored["mug"] = nodes(seed)
        key = GraphKey(lm, "mug", "patch")
        self.cache.refresh(key, radius, self.memory)  # type: ignore[arg-type]
        return key

    def test_learning_modules_with_the_same_nodes_share_a_graph(self) -> None:
        same = [self.refresh(lm, seed=0) for lm in ("first", "second")]
        another = self.refresh("third", seed=1)
        farther = self.refresh("fourth", seed=0, radius=2 * RADIUS)
        table = self.cache.table
        self.assertEqual(len(table), 3)
        self.assertEqual(table.index(same[0]), table.index(same[1]))
        for key, seed in ((same[1], 0), (another, 1), (farther, 0)):
            graph = table.graph(table.index(key))
            np.testing.assert_array_equal(graph.locations, nodes(seed).locations)
        self.assertEqual(table.graph(table.index(farther)).radius, 2 * RADIUS)

    def test_nodes_that_differ_anywhere_are_another_graph(self) -> None:
        for part in ("locations", "pose_vectors", "pose_fully_defined", "features"):
            with self.subTest(part):
                first = self.refresh("first", seed=0)
                other = nodes(0)
                getattr(other, part)[-1] = 0.5 if part != "pose_fully_defined" else 0
                self.memory.stored["mug"] = other
                second = GraphKey("second", "mug", "patch")
                self.cache.refresh(second, RADIUS, self.memory)  # type: ignore[arg-type]
                table = self.cache.table
                self.assertNotEqual(table.index(first), table.index(second))

    def test_one_that_learns_more_no_longer_shares_it(self) -> None:
        first, second = (self.refresh(lm, seed=0) for lm in ("first", "second"))
        self.refresh("second", seed=1)
        table = self.cache.table
        self.assertEqual(len(table), 2)
        for key, seed in ((first, 0), (second, 1)):
            graph = table.graph(table.index(key))
            np.testing.assert_array_equal(graph.features, nodes(seed).features)


if __name__ == "__main__":
    unittest.main()
